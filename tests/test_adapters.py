"""Our agents in other projects' environments, as they are: DouZero's GameEnv and RLCard's."""

from __future__ import annotations

import random
from collections import Counter
from copy import deepcopy
from types import SimpleNamespace

import pytest

from searchdou import Agent
from searchdou.adapters import adapt
from searchdou.errors import BadInfoSet, SearchDouError
from searchdou.games.doudizhu import ROLES, Deal, Game
from searchdou.games.doudizhu.cards import unpack
from searchdou.games.doudizhu.hidden import public_left

pytestmark = pytest.mark.peers

TO_INT = dict(zip("3456789TJQKA2BR", (*range(3, 15), 17, 20, 30), strict=True))
SPECS = ["rule", "search:samples=2,sims=1", "search:samples=2,sims=2,mode=tree,weights=iec"]


def ints(cards: str) -> list[int]:
    return sorted(TO_INT[card] for card in cards)


def known_to(infoset) -> dict:
    """All of an infoset but the public cards, of which the other engines forget some."""
    names = ("seat", "hand", "rules", "landlord", "history", "cards_left", "unseen", "turn", "bombs", "to_beat", "is_over")
    return {**{name: getattr(infoset, name) for name in names}, "legal": infoset.legal_actions()}


# --- DouZero ----------------------------------------------------------------------------------------------------------

def douzero_game(players: dict, seed: int):
    """A GameEnv with our deal of that seed, not yet begun, and the same game in our State."""
    game = pytest.importorskip("douzero.env.game", reason="douzero is not installed (the peers extra)")
    state = Game("douzero", bidding=False).start(Deal.random(seed), first=0)
    env = game.GameEnv(players)
    env.card_play_init({**{role: ints(hand) for role, hand in zip(ROLES, state.hands, strict=True)},
                        "three_landlord_cards": ints(state.deal.kitty)})
    return env, state


class Blind:
    """An infoset in which whoever looks at hidden hands is caught."""

    def __init__(self, infoset) -> None:
        self.__dict__["_infoset"] = infoset

    def __getattr__(self, name: str):
        if name in ("all_handcards", "other_hand_cards"):
            raise AssertionError(f"{name} was read")
        return getattr(self._infoset, name)


class Checked:
    """A player of DouZero's that shows our agent a blind infoset and looks at what it answers."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.moves = agent, 0

    def act(self, infoset) -> list[int]:
        before = deepcopy(infoset.__dict__)
        action = self.agent.act(Blind(infoset))
        assert infoset.__dict__ == before                 # left as it was
        assert type(action) is list
        assert action in infoset.legal_actions
        assert action == sorted(action)
        self.moves += 1
        return action


@pytest.mark.parametrize("spec", SPECS)
def test_whole_games_in_douzeros_environment(spec):
    winners = Counter()
    agent = Agent("doudizhu", spec)
    for seed in range(4):
        players = {role: Checked(agent) for role in ROLES}
        env, _ = douzero_game(players, seed)
        while not env.game_over:
            env.step()
        winners[env.get_winner()] += 1
        assert sum(player.moves for player in players.values()) == len(env.card_play_action_seq) > 3
    assert sum(winners.values()) == 4


def test_our_agent_is_a_player_of_douzeros_as_it_is():
    env, _ = douzero_game(dict.fromkeys(ROLES, Agent("doudizhu", "rule")), 9)
    while not env.game_over:
        env.step()
    assert env.get_winner() in ("landlord", "farmer")


@pytest.mark.parametrize("seed", range(12))
def test_douzeros_infoset_is_ours(seed):
    rng = random.Random(seed)
    env, state = douzero_game({}, seed)
    while not env.game_over:
        theirs, ours = env.game_infoset, state.infoset()
        adapted, back = adapt("doudizhu", Blind(theirs))
        assert known_to(adapted) == known_to(ours)
        # It takes public cards away one by one, so what the landlord must still hold is told in full.
        assert public_left(adapted) == public_left(ours)
        actions = [move for move in state.legal_actions() if ints(move.cards) in theirs.legal_actions]
        move = rng.choice(actions) if rng.random() < 0.5 else max(actions, key=lambda move: len(move.cards))
        assert back(move) == ints(move.cards)
        env.players = {env.acting_player_position: SimpleNamespace(act=lambda infoset, move=move: ints(move.cards))}
        env.step()
        state.play(move)
    assert state.is_over


def test_where_douzero_does_not_allow_our_move_the_answer_is_still_one_of_theirs():
    env, state = douzero_game({}, 1)
    infoset = deepcopy(env.game_infoset)
    ours = [move for move in state.legal_actions() if len(move.cards) > 1]
    infoset.legal_actions = [ints(state.hands[0][0]), ints(state.hands[0][5])]
    _, back = adapt("doudizhu", infoset)
    assert all(back(move) in infoset.legal_actions for move in ours)
    infoset.legal_actions.append([])
    _, back = adapt("doudizhu", infoset)
    assert back(ours[0]) == []


def good_infoset() -> SimpleNamespace:
    env, _ = douzero_game({}, 2)
    return SimpleNamespace(**deepcopy(env.game_infoset.__dict__))


@pytest.mark.parametrize("spec", ["rule", "search:samples=2,sims=1"])
@pytest.mark.parametrize("change", [
    {"player_position": "north"},
    {"player_position": None},
    {"player_hand_cards": [3, 4, 99]},
    {"player_hand_cards": None},
    {"player_hand_cards": "345"},
    {"player_hand_cards": [3, 4]},
    {"player_hand_cards": [14] * 5 + list(range(3, 14))},
    {"three_landlord_cards": []},
    {"three_landlord_cards": [3, 4, 5, 6]},
    {"three_landlord_cards": 7},
    {"card_play_action_seq": [[3, 4, 9], [], []]},
    {"card_play_action_seq": [3, 4]},
    {"legal_actions": None},
    {"legal_actions": []},
])
def test_garbage_for_douzero_gets_one_clear_error(spec, change):
    infoset = good_infoset()
    infoset.__dict__.update(change)
    with pytest.raises(SearchDouError) as caught:
        Agent("doudizhu", spec).act(infoset)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_douzero_infoset_that_lacks_a_field():
    for name in ("player_hand_cards", "three_landlord_cards", "legal_actions"):
        infoset = good_infoset()
        delattr(infoset, name)
        with pytest.raises(BadInfoSet, match=f"no DouZero infoset.*{name}"):
            Agent("doudizhu", "rule").act(infoset)


# --- RLCard -----------------------------------------------------------------------------------------------------------

def rlcard_env(seed: int):
    rlcard = pytest.importorskip("rlcard", reason="rlcard is not installed (the peers extra)")
    return rlcard.make("doudizhu", config={"seed": seed})


class BlindState(dict):
    """An observation in which whoever looks at the others' hands is caught."""

    def __getitem__(self, key):
        assert key != "others_hand"
        return super().__getitem__(key)


class CheckedAgent:
    """An agent of RLCard's that looks at what ours answers."""

    use_raw = True

    def __init__(self, agent: Agent) -> None:
        self.agent, self.moves = agent, 0

    def eval_step(self, state):
        before = repr(state)
        action, info = self.agent.eval_step({**state, "raw_obs": BlindState(state["raw_obs"])})
        assert repr(state) == before
        assert action in state["raw_legal_actions"]
        assert isinstance(info, dict)
        self.moves += 1
        return action, info

    def step(self, state):
        action = self.agent.step(state)
        assert action in state["raw_legal_actions"]
        return action


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("is_training", [False, True])
def test_whole_games_in_rlcards_environment(spec, is_training):
    agent = Agent("doudizhu", spec)
    for seed in range(3):
        env = rlcard_env(seed)
        env.set_agents([CheckedAgent(agent) for _ in range(3)])
        _, payoffs = env.run(is_training=is_training)
        assert sorted(payoffs) in ([0, 0, 1], [0, 1, 1])


def test_our_agent_is_an_agent_of_rlcards_as_it_is():
    env = rlcard_env(7)
    env.set_agents([Agent("doudizhu", "rule")] * 3)
    trajectories, payoffs = env.run(is_training=False)
    assert sum(payoffs) in (1, 2)
    assert len(trajectories[0]) > 2


@pytest.mark.parametrize("seed", range(12))
def test_rlcards_state_is_our_infoset(seed):
    rng = random.Random(seed)
    env = rlcard_env(seed)
    theirs, player = env.reset()
    hands = [unpack_hand(env.game.get_state(seat)["current_hand"]) for seat in range(3)]
    kitty = theirs["raw_obs"]["seen_cards"]
    for card in kitty:
        hands[0] = hands[0].replace(card, "", 1)
    state = Game("rlcard", bidding=False).start(Deal(tuple(hands), kitty), first=0)
    while not env.is_over():
        ours = state.infoset()
        assert player == ours.seat
        adapted, back = adapt("doudizhu", theirs)
        assert known_to(adapted) == known_to(ours)
        # It takes all public cards of a rank away at once: what is left of them may be less than is known, never more.
        assert not Counter(unpack(public_left(adapted))) - Counter(unpack(public_left(ours)))
        moves = state.legal_actions()
        move = rng.choice(moves) if rng.random() < 0.5 else max(moves, key=lambda move: len(move.cards))
        action = back(move)
        assert action in theirs["raw_legal_actions"]
        assert sorted(action) == sorted(move.cards or "pass")
        theirs, player = env.step(action, raw_action=True)
        state.play(move)
    assert state.is_over
    assert list(env.get_payoffs()) == list(state.payoffs())


def unpack_hand(cards: str) -> str:
    return "".join(sorted(cards, key="3456789TJQKA2BR".index))


@pytest.mark.parametrize("spec", ["rule", "search:samples=2,sims=1"])
@pytest.mark.parametrize("change", [
    {"self": "me"},
    {"self": 1},                                          # it is the landlord's turn
    {"self": 7},
    {"current_hand": "345X"},
    {"current_hand": None},
    {"current_hand": "3456"},
    {"current_hand": "AAAAA33344455566677"},
    {"seen_cards": ""},
    {"seen_cards": "3456"},
    {"seen_cards": None},
    {"trace": [(0, "349"), (1, "pass"), (2, "pass")]},
    {"trace": None},
    {"trace": [1, 2]},
    {"actions": None},
    {"actions": []},
    {"actions": ["xyz"]},
])
def test_garbage_for_rlcard_gets_one_clear_error(spec, change):
    state, _ = rlcard_env(2).reset()
    with pytest.raises(SearchDouError) as caught:
        Agent("doudizhu", spec).act({"raw_obs": {**state["raw_obs"], **change}})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("position", [{}, {"raw_obs": None}, {"raw_obs": {}}, {"raw_obs": 3}, None, "3456", object(), [1]])
def test_what_is_no_position_at_all(position):
    for game in ("doudizhu", "gongzhu"):
        with pytest.raises(SearchDouError) as caught:
            Agent(game, "random").act(position)
        assert "\n" not in str(caught.value)
