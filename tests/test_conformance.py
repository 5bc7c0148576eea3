"""One set of promises that every registered game keeps; a new game adds one line to TABLES and one function to UNSEEN."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core import config

from searchdou import agents, games
from searchdou.agent import Agent
from searchdou.errors import IllegalAction, SearchDouError

doudizhu, gongzhu = games.load("doudizhu"), games.load("gongzhu")

# Every way a game may be played: the default table first.
TABLES = {
    "doudizhu": [doudizhu.Game(rules, bidding=bidding) for rules, bidding in (
        ("standard", True), ("standard", False), ("douzero", True), ("openspiel", False), ("botzone", True))],
    "gongzhu": [gongzhu.Game()],
}
EVERY_TABLE = pytest.mark.parametrize("game", [pytest.param(game, id=f"{name}{number}") for name, tables in TABLES.items()
                                               for number, game in enumerate(tables)])
EVERY_GAME = pytest.mark.parametrize("name", games.GAMES)
# `oracle` is shown all hands by the arena and cannot be asked as an agent (tests/agents/test_gongzhu_net.py).
EVERY_AGENT = pytest.mark.parametrize(("name", "spec"), [(name, spec) for name in games.GAMES for spec in agents.names(name)
                                                         if spec != "oracle"])
NAMES = ("Deal", "Game", "InfoSet", "Move", "Play", "State", "dump", "load")
SEEDS = st.integers(0, 2**32 - 1)
PLAYS = st.integers(0, 70)
FEW = settings(max_examples=8 if config.DISABLE_JIT else 25)


def module_of(game):
    return games.load(game.name)


def begun(game, seed):
    """A fresh game of a deal of that seed; who begins varies too."""
    return game.start(module_of(game).Deal.random(seed), first=seed % game.seats)


def under_way(game, seed, plays):
    """A game after `plays` random actions, or before its last one."""
    chance, state = random.Random(seed), begun(game, seed)
    for _ in range(plays):
        after = state.copy()
        after.act(chance.choice(after.legal_actions()))
        if after.is_over:
            break
        state = after
    return state


def finished(game, seed):
    chance, state = random.Random(seed), begun(game, seed)
    while not state.is_over:
        state.act(chance.choice(state.legal_actions()))
    return state


def snapshot(state):
    """All that a caller can see of a state."""
    return (module_of(state.game).dump(state), state.hands, state.turn, state.phase, state.is_over, state.payoffs(),
            state.legal_actions(), [state.infoset(seat) for seat in range(state.game.seats)])


def test_every_game_is_covered():
    assert set(TABLES) == set(UNSEEN) == set(games.GAMES)


@pytest.mark.unit
@EVERY_GAME
def test_the_same_names_everywhere(name):
    module = games.load(name)
    assert set(NAMES) <= set(module.__all__)
    assert all(getattr(module, each).__doc__ for each in NAMES)
    assert module.Game.name == name
    assert module.Game().seats == module.Game.seats == len(module.Game().deal(0).hands)
    files = os.listdir(os.path.dirname(module.__file__))
    assert {"rules.py", "_kernels.py", "infoset.py", "records.py", "cards.py"} <= set(files)


def test_no_such_game():
    with pytest.raises(SearchDouError, match="unknown game 'bridge'; known: doudizhu, gongzhu"):
        games.load("bridge")


# -- deals ----------------------------------------------------------------------------------------------------


@pytest.mark.unit
@EVERY_TABLE
def test_a_seed_is_a_deal(game):
    deal = module_of(game).Deal
    assert snapshot(game.deal(7)) == snapshot(game.deal(7))
    assert snapshot(begun(game, 7)) == snapshot(begun(game, 7))
    assert deal.random(7, 3) == deal.random(7, 3)
    keys = [(7,), (8,), (7, 0), (7, 1), (8, 1), (2**64 - 1,), (-1, 2**63)]
    assert len({deal.random(*key) for key in keys}) == len(keys)
    with pytest.raises(SearchDouError):
        game.start(deal.random(7), first=game.seats)


# -- what a seat may know -------------------------------------------------------------------------------------


@pytest.mark.unit
@EVERY_TABLE
@FEW
@given(SEEDS, PLAYS)
def test_infosets(game, seed, plays):
    state = under_way(game, seed, plays)
    infoset_type = module_of(game).InfoSet
    known = state.infoset()
    assert known.seat == known.turn == state.turn
    assert (known.hand, known.phase) == (state.hands[state.turn], state.phase)
    assert known.legal_actions() == state.legal_actions() != []
    assert all(state.infoset(seat).legal_actions() == [] for seat in range(game.seats) if seat != state.turn)
    fields = {field.name: getattr(known, field.name) for field in dataclasses.fields(infoset_type)}
    checked = infoset_type(**fields)
    assert known == checked == state.infoset()
    assert hash(known) == hash(checked)
    assert known.key == checked.key
    with pytest.raises(dataclasses.FrozenInstanceError):
        known.seat = 0
    for seat in range(game.seats):
        infoset = state.infoset(seat)
        assert infoset_type.from_text(infoset.to_text()) == infoset


@pytest.mark.unit
@EVERY_TABLE
@FEW
@given(SEEDS, PLAYS)
def test_requests_and_answers(game, seed, plays):
    state = under_way(game, seed, plays)
    infoset = state.infoset()
    request = json.loads(json.dumps(infoset.to_request(2.5)))
    assert (request["game"], request["seat"], request["time_s"]) == (game.name, state.turn, 2.5)
    again = module_of(game).InfoSet.from_request(request)
    assert (again, again.key, again.legal_actions()) == (infoset, infoset.key, state.legal_actions())
    assert module_of(game).InfoSet.from_request(infoset.to_request()) == infoset
    for action in infoset.legal_actions():
        assert infoset.from_answer(json.loads(json.dumps(infoset.to_answer(action)))) == action


@pytest.mark.unit
@EVERY_TABLE
@FEW
@given(SEEDS, PLAYS)
def test_answers_that_are_not_legal(game, seed, plays):
    infoset = under_way(game, seed, plays).infoset()
    (key, _), = infoset.to_answer(infoset.legal_actions()[0]).items()
    for junk in (None, 17, -1, True, 1.5, [], {}, "1F", "\x00", "333333", "S99", ["S2"], 10**30):
        with pytest.raises(SearchDouError):
            infoset.from_answer({key: junk})
    with pytest.raises(IllegalAction, match=f"no '{key}'"):
        infoset.from_answer({"error": "no idea"})
    elsewhere = under_way(game, seed + 1, plays).infoset()
    for action in set(elsewhere.legal_actions()) - set(infoset.legal_actions()):
        with pytest.raises(SearchDouError):
            infoset.from_answer(elsewhere.to_answer(action))


@pytest.mark.unit
@pytest.mark.parametrize("first", range(3))
def test_a_landlord_by_force_is_told_in_requests(first):
    """Where all pass and seat 0 must be landlord, who bid first follows from nothing else."""
    state = doudizhu.Game("botzone").start(doudizhu.Deal.random(3), first=first)
    for _ in range(3):
        state.bid(0)
    infoset = state.infoset()
    assert doudizhu.InfoSet.from_request(infoset.to_request()) == infoset == doudizhu.InfoSet.from_text(infoset.to_text())


KEYS = """
import json, sys
from searchdou import games
print(json.dumps([games.load(name).InfoSet.from_text(text).key for name, text in json.load(sys.stdin)]))
"""


@pytest.mark.unit
def test_keys_are_the_same_in_every_process():
    """What seeds an agent must not hang on hash randomisation, on the order of imports or on the JIT."""
    infosets = [(game.name, state.infoset(seat)) for tables in TABLES.values() for game in tables for plays in (0, 1, 9, 30)
                for state in [under_way(game, 11 + plays, plays)] for seat in range(game.seats)]
    keys = [infoset.key for _, infoset in infosets]
    assert all(type(key) is int and 0 <= key < 2**64 for key in keys)
    assert len(set(keys)) == len(set(infosets)) > 60
    done = subprocess.run([sys.executable, "-c", KEYS], input=json.dumps([(n, i.to_text()) for n, i in infosets]), text=True,
                          capture_output=True, check=True,
                          env={**os.environ, "PYTHONHASHSEED": "5", "NUMBA_DISABLE_JIT": "1"})
    assert json.loads(done.stdout) == keys


# -- acting ---------------------------------------------------------------------------------------------------


@pytest.mark.unit
@EVERY_TABLE
@FEW
@given(SEEDS, PLAYS)
def test_every_action_is_a_triple(game, seed, plays):
    """verify_x gives the action back, can_x says yes, x acts and returns a frozen record; `act` is the common name."""
    state = under_way(game, seed, plays)
    before, phase = snapshot(state), state.phase
    verify, can = getattr(state, f"verify_{phase}"), getattr(state, f"can_{phase}")
    for action in state.legal_actions():
        assert verify(action) == action
        assert can(action) is True
        one, two = state.copy(), state.copy()
        record = getattr(one, phase)(action)
        assert record == two.act(action)
        assert record.seat == state.turn
        assert getattr(record, "move" if phase == "play" else phase) == action
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.seat = 0
        assert snapshot(one) == snapshot(two) != before
    assert snapshot(state) == before          # copies are independent, and verifying changes nothing


@pytest.mark.unit
@EVERY_TABLE
@FEW
@given(SEEDS, PLAYS)
def test_an_illegal_action_changes_nothing(game, seed, plays):
    state = under_way(game, seed, plays)
    before, legal = snapshot(state), state.legal_actions()
    elsewhere = under_way(game, seed + 1, plays).legal_actions() + under_way(game, seed + 2, plays // 2).legal_actions()
    junk = [None, -1, 4, 99, 2.5, [], object(), "oink", "1", "S99", "3333333", "\x00"]
    for action in [action for action in elsewhere if action not in legal] + junk:
        assert getattr(state, f"can_{state.phase}")(action) is False
        for act in (state.act, getattr(state, state.phase), getattr(state, f"verify_{state.phase}")):
            with pytest.raises(SearchDouError) as raised:
                act(action)
            assert len(str(raised.value)) > 8
    assert snapshot(state) == before


@pytest.mark.unit
@EVERY_TABLE
@FEW
@given(SEEDS)
def test_the_end(game, seed):
    state = finished(game, seed)
    assert (state.phase, state.legal_actions()) == ("over", [])
    assert sum(state.payoffs()) == 0
    assert len(state.payoffs()) == game.seats
    assert all(state.infoset(seat).legal_actions() == [] for seat in range(game.seats))
    before = snapshot(state)
    for action in begun(game, seed).legal_actions()[:3]:
        with pytest.raises(IllegalAction):
            state.act(action)
    assert snapshot(state) == before
    assert not any(under_way(game, seed, 20).payoffs())


@pytest.mark.unit
@EVERY_TABLE
@FEW
@given(SEEDS, PLAYS)
def test_records_read_back(game, seed, plays):
    module = module_of(game)
    for state in (under_way(game, seed, plays), finished(game, seed)):
        line = module.dump(state, seed=seed)
        assert "\n" not in line
        again = module.load(line)
        assert snapshot(again) == snapshot(state)
        assert again.game == game
    for other in games.GAMES:
        if other != game.name:
            with pytest.raises(SearchDouError, match="format"):
                games.load(other).load(line)


# -- hidden cards ---------------------------------------------------------------------------------------------


def unseen_doudizhu(state, chance):
    """The deal with all that the seat to act cannot see shuffled: other hands, and the kitty while bidding."""
    deal, seat, landlord = state.deal, state.turn, state.landlord
    others = [other for other in range(3) if other != seat]
    if landlord is None:
        pool = chance.sample([*deal.hands[others[0]], *deal.hands[others[1]], *deal.kitty], 37)
        return doudizhu.Deal(tuple(deal.hands[s] if s == seat else "".join(pool[17 * others.index(s):][:17])
                                   for s in range(3)), "".join(pool[34:]))
    played = ["".join(move.cards for who, move in state.history if who == other) for other in range(3)]
    fixed, free = {}, {}
    for other in others:       # public cards that the landlord has not played yet are seen to be in its hand
        kept = [card for card in set(deal.kitty) for _ in range(deal.kitty.count(card) - played[landlord].count(card))]
        fixed[other] = kept if other == landlord else []
        free[other] = list(state.hands[other])
        for card in fixed[other]:
            free[other].remove(card)
    pool = chance.sample(free[others[0]] + free[others[1]], len(free[others[0]]) + len(free[others[1]]))
    hands = list(deal.hands)
    for other, share in zip(others, (pool[:len(free[others[0]])], pool[len(free[others[0]]):]), strict=True):
        cards = [*played[other], *fixed[other], *share]
        for card in deal.kitty if other == landlord else "":
            cards.remove(card)
        hands[other] = "".join(cards)
    return doudizhu.Deal(tuple(hands), deal.kitty)


def unseen_gongzhu(state, chance):
    """The deal with the other hands' cards swapped at random wherever no known void forbids it."""
    infoset = state.infoset()
    hands = [hand.split() for hand in state.deal.hands]
    hidden = [(seat, card) for seat in range(4) if seat != state.turn for card in state.hands[seat].split()]
    for _ in range(200):
        i, j = chance.randrange(len(hidden)), chance.randrange(len(hidden))
        (a, x), (b, y) = hidden[i], hidden[j]
        if a != b and x[0] not in infoset.voids[b] and y[0] not in infoset.voids[a]:
            hands[a][hands[a].index(x)], hands[b][hands[b].index(y)] = y, x
            hidden[i], hidden[j] = (a, y), (b, x)
    return gongzhu.Deal(tuple(" ".join(hand) for hand in hands))


UNSEEN = {"doudizhu": unseen_doudizhu, "gongzhu": unseen_gongzhu}


def twin(state, chance):
    """The same game as the seat to act sees it, with other cards in the hands it does not see; None at the very end."""
    if not any(hand for seat, hand in enumerate(state.hands) if seat != state.turn):
        return None
    other = state.game.start(UNSEEN[state.game.name](state, chance), state.first)
    for action in [*getattr(state, "bids", []), *(move for _, move in state.history)]:
        other.act(action)
    return other


@pytest.mark.unit
@EVERY_TABLE
@FEW
@given(SEEDS, PLAYS)
def test_hidden_cards_do_not_leak(game, seed, plays):
    state = under_way(game, seed, plays)
    other = twin(state, random.Random(seed))
    if other is None:
        return
    one, two = state.infoset(), other.infoset()
    assert one == two
    assert one.__dict__ == two.__dict__                        # nothing in its pockets either
    assert (one.key, hash(one), one.legal_actions()) == (two.key, hash(two), two.legal_actions())
    assert (one.to_text(), one.to_request(1.0)) == (two.to_text(), two.to_request(1.0))
    properties = [name for name in dir(type(one)) if not name.startswith("__") and not callable(getattr(type(one), name))]
    assert all(getattr(one, name) == getattr(two, name) for name in properties)


@EVERY_TABLE
def test_the_twins_differ(game):
    """The test above is worth something: hidden hands really are others."""
    chance = random.Random(1)
    states = [under_way(game, seed, 3 * seed) for seed in range(10)]
    assert sum(twin(state, chance).hands != state.hands for state in states) >= 8


# -- agents ---------------------------------------------------------------------------------------------------


# Agents that think for long are given little to think about here; a clock would make them hang on the machine.
QUICK = {"search": "search:samples=3,sims=2"}


def agent_or_skip(name, spec, seed=0):
    if spec == "rlcard":
        pytest.importorskip("douzero.evaluation.rlcard_agent")
    return Agent(name, QUICK.get(spec, spec), seed)


@EVERY_AGENT
def test_an_agent_plays_by_what_its_seat_may_know(name, spec):
    """Legal, the same for the same seed, and blind to the hands it may not see."""
    agent, again = agent_or_skip(name, spec, seed=3), agent_or_skip(name, spec, seed=3)
    chance = random.Random(5)
    tables = [game for game in TABLES[name] if spec != "rlcard" or game.rules.name == "standard"]
    for number in range(40):
        state = under_way(tables[number % len(tables)], number, number * 7 % 55)
        action = agent.act(state.infoset())
        assert action in state.legal_actions()
        assert type(action) is type(state.legal_actions()[0])
        assert again.act(state.infoset()) == action
        other = twin(state, chance)
        if other is not None:
            assert agent.act(other.infoset()) == action
            # A bot reads the same position from a request.
            request = json.loads(json.dumps(other.infoset().to_request()))
            assert again.act(type(other.infoset()).from_request(request)) == action


@EVERY_AGENT
def test_an_agent_finishes_whole_games(name, spec):
    agent = agent_or_skip(name, spec)
    for seed in range(3):
        state = games.load(name).Game().deal(seed)
        while not state.is_over:
            state.act(agent.act(state.infoset()))
        assert sum(state.payoffs()) == 0


@EVERY_GAME
def test_an_agent_refuses_what_it_cannot_play(name):
    agent = Agent(name, "random")
    with pytest.raises(IllegalAction, match="the game is over"):
        agent.act(finished(TABLES[name][0], 1).infoset())
    state = begun(TABLES[name][0], 1)
    with pytest.raises(IllegalAction, match=f"seat {state.turn} is to act, not seat"):
        agent.act(state.infoset((state.turn + 1) % state.game.seats))
    with pytest.raises(SearchDouError, match=f"a {name} agent acts on a {name} InfoSet, not on int"):
        agent.act(5)
