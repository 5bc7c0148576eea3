"""Other engines at the same table: our game is played, and each of them is asked what it would allow.

RLCard must agree on every decision. DouZero and OpenSpiel have known faults; every difference must be one of them,
told by a rule written here, and anything else fails.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from searchdou.games.doudizhu import Game, Move, State, rule_set

from . import naive
from .strategies import action_of, engine_moves, shuffled_deal

pytestmark = pytest.mark.peers

ROLES = ("landlord", "landlord_down", "landlord_up")


def decisions(name: str, wanted: int, seed: int) -> Iterator[State]:
    """Decisions of card play in random games: most deals uniform, some with cards kept together for rare moves."""
    rng, seen = random.Random(seed), 0
    while seen < wanted:
        state = Game(rule_set(name), bidding=False).start(shuffled_deal(rng, rng.choice((1, 1, 1, 2, 3, 4))))
        eager = rng.random() < 0.5
        while not state.is_over:
            seen += 1
            yield state
            moves = state.legal_actions()
            longest = max(moves, key=lambda move: len(move.cards))
            state.play(longest if eager and rng.random() < 0.5 else rng.choice(moves))


def cards_of(moves: list[Move]) -> set[str]:
    return {move.cards for move in moves}


def trios(cards: str) -> list[str]:
    """Ranks held exactly three times, lowest first."""
    return [rank for rank in naive.RANKS if cards.count(rank) == 3]


# --- RLCard ---------------------------------------------------------------------------------------------------------

def test_rlcard_agrees_on_every_decision():
    utils = pytest.importorskip("rlcard.games.doudizhu.utils", reason="rlcard is not installed (the peers extra)")
    judger = pytest.importorskip("rlcard.games.doudizhu.judger").DoudizhuJudger
    count, leads = 0, 0
    for state in decisions("rlcard", 20_000, seed=1):
        count += 1
        hand = state.hands[state.turn]
        if state.to_beat:
            # RLCard's cards have a suit and a rank; a joker has only a suit.
            cards = [SimpleNamespace(suit=f"{card}J" if card in "BR" else "S", rank="" if card in "BR" else card)
                     for card in hand]
            player, rival = SimpleNamespace(current_hand=cards), SimpleNamespace(played_cards=state.to_beat.cards)
            theirs = utils.get_gt_cards(player, rival)
            theirs = ["" if cards == "pass" else cards for cards in theirs]
        else:
            leads += 1
            theirs = list(judger.playable_cards_from_hand(hand))
        ours = [move.cards for move in state.legal_actions()]
        assert sorted(ours) == sorted(theirs), (hand, state.to_beat)
    print(f"\nrlcard: {count} decisions, {leads} leads, no difference")
    assert count >= 20_000


def test_rlcard_has_the_same_actions():
    utils = pytest.importorskip("rlcard.games.doudizhu.utils", reason="rlcard is not installed (the peers extra)")
    theirs = {"" if cards == "pass" else cards for cards in utils.CARD_TYPE[0]} | {""}
    assert theirs == {action.cards for action in naive.all_actions("rlcard")}


# --- DouZero --------------------------------------------------------------------------------------------------------

TO_INT = {rank: i + 3 for i, rank in enumerate(naive.CHAINABLE)} | {"2": 17, "B": 20, "R": 30}
TO_RANK = {number: rank for rank, number in TO_INT.items()}


def ints(cards: str) -> list[int]:
    return [TO_INT[card] for card in cards]


def douzero_fault(cards: str, to_beat: naive.Action, theirs: set[str]) -> str | None:
    """Which known fault of douzero 1.1.0 explains that just one of us allows `cards` on `to_beat`."""
    if to_beat.category != "PLANE_SOLO":
        return None
    readings = naive.readings_of("douzero")
    four = next((reading for reading in readings[to_beat.cards] if reading.category == "PLANE"), None)
    kicker_trio = len(trios(to_beat.cards)) > to_beat.length
    if four is not None:
        # 333444555666 was played as three trios with kickers; it knows only the plane of four and wants one.
        wanted = four if cards in theirs else to_beat
        return "read as a plane of four" if any(naive.beats(reading, wanted) for reading in readings[cards]) else None
    if 4 in Counter(to_beat.cards).values() or (kicker_trio and to_beat.length != 3):
        # Its detector calls the move wrong; then only bombs, the rocket and the pass remain.
        kept = {reading.category for reading in readings[cards]} & {"PASS", "BOMB", "ROCKET"}
        return "called wrong" if cards not in theirs and not kept else None
    if kicker_trio or len(trios(cards)) > to_beat.length:
        # It ranks by the highest trio, be it a kicker.
        highest, other = (naive.RANKS.index(trios(c)[-1]) for c in (cards, to_beat.cards))
        return "ranked by a kicker" if (cards in theirs) == (highest > other) else None
    return None


def hand_with_trios(rng: random.Random, length: int) -> str:
    """Twenty cards with a plane of at least `length` and more trios beside it."""
    low = rng.randrange(12 - length)
    plane = naive.CHAINABLE[low:low + length + rng.randrange(2)]
    others = [rank for rank in naive.RANKS if rank not in plane]
    rng.shuffle(others)
    rest = "".join(rank * min(rng.choice((1, 3, 4)), naive.DECK.count(rank)) for rank in others)
    return naive.ordered(("".join(rank * 3 for rank in plane) + rest)[:20])


def test_douzero_differs_by_its_known_faults_only():
    module = pytest.importorskip("douzero.env.game", reason="douzero is not installed (the peers extra)")
    env = module.GameEnv({})
    count, faults, unexplained = 0, Counter(), []

    def compare(position: str, hand: str, plays: list[str], to_beat: naive.Action, ours: set[str]) -> None:
        env.acting_player_position = position
        env.info_sets[position].player_hand_cards = ints(hand)
        env.card_play_action_seq = [ints(cards) for cards in plays]
        theirs = {"".join(TO_RANK[card] for card in move) for move in env.get_legal_card_play_actions()}
        for cards in ours ^ theirs:
            fault = douzero_fault(cards, to_beat, theirs)
            faults[fault] += 1
            if fault is None:
                unexplained.append((hand, to_beat, cards, "theirs" if cards in theirs else "ours"))

    for state in decisions("douzero", 15_000, seed=2):
        count += 1
        compare(ROLES[len(state.history) % 3], state.hands[state.turn], [move.cards for _, move in state.history],
                action_of(state.to_beat), cards_of(state.legal_actions()))
    # Planes with kickers seldom meet in random games; here they meet hands that hold planes too.
    rng = random.Random(3)
    planes = [action for action in naive.all_actions("douzero") if action.category == "PLANE_SOLO"]
    twofold = [action for action in planes if len(trios(action.cards)) == 4 and len(action.cards) == 12]
    for to_beat in rng.sample(planes, 1_500) + twofold:
        count += 1
        hand = hand_with_trios(rng, to_beat.length)
        compare("landlord", hand, [to_beat.cards], to_beat,
                {action.cards for action in engine_moves(hand, to_beat, "douzero")})
    print(f"\ndouzero: {count} decisions, explained differences {dict(faults)}")
    assert not unexplained, unexplained[:5]
    # Each fault was met, or the test would say little.
    assert set(faults) == {"read as a plane of four", "called wrong", "ranked by a kicker"}


def test_douzero_calls_plane_solos_wrong():
    module = pytest.importorskip("douzero.env.move_detector", reason="douzero is not installed (the peers extra)")
    for name, number in (("standard", 2750), ("douzero", 3838)):
        wrong = [cards for cards in naive.readings_of(name)
                 if module.get_move_type(ints(cards))["type"] == module.TYPE_15_WRONG]
        assert len(wrong) == number
        assert {reading.category for cards in wrong for reading in naive.readings_of(name)[cards]} == {"PLANE_SOLO"}


# --- OpenSpiel ------------------------------------------------------------------------------------------------------

def spiel_move(text: str) -> tuple[str, str]:
    """(cards, main part) of OpenSpiel's name of a move; planes with kickers are written main-kickers."""
    text = text.replace("(BWJ)", "B").replace("(CJ)", "R")
    if text == "Pass":
        return "", ""
    return naive.ordered(text.replace("-", "")), text.split("-")[0] if "-" in text else ""


def spiel_deal(pyspiel, state: State):
    """OpenSpiel's state of the same deal and the same first bidder."""
    spiel = pyspiel.load_game("dou_dizhu").new_initial_state()
    spiel.apply_action(state.first)        # the card turned up is dealt to that seat, which bids first
    copies: Counter[str] = Counter()
    for i in range(51):
        card = state.deal.hands[i % 3][i // 3]
        number = {"B": 52, "R": 53}.get(card, 13 * copies[card] + naive.RANKS.index(card))
        copies[card] += 1
        spiel.apply_action(51 + number)
    return spiel


def headed_by_four(cards: str, hand: str) -> bool:
    """Whether `cards` are a chain without kickers whose lowest rank is held four times: OpenSpiel lacks these."""
    return hand.count(cards[:1]) == 4 and any(
        reading.category in ("CHAIN_SOLO", "CHAIN_PAIR", "PLANE") for reading in naive.readings_of("openspiel")[cards])


def spiel_fault(cards: str, state: State, theirs: set[str]) -> str | None:
    """Which known fault of OpenSpiel 2.0.2 explains that just one of us allows `cards`."""
    if cards in theirs:
        bomb = naive.readings_of("openspiel")[cards][0].category == "BOMB"
        return "bomb on a rocket" if bomb and state.to_beat.cards == "BR" else None
    return "four cannot head a chain" if headed_by_four(cards, state.hands[state.turn]) else None


def main_part(move: Move) -> str:
    """The trios of a plane with kickers, as OpenSpiel names it; '' for every other move."""
    if move.category.name not in ("PLANE_SOLO", "PLANE_PAIR"):
        return ""
    low = naive.RANKS.index(move.rank)
    return "".join(rank * 3 for rank in naive.RANKS[low:low + move.length])


def test_openspiel_differs_by_its_known_faults_only():
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed (the peers extra)")
    rng = random.Random(4)
    count, games, longer_auctions, faults, unexplained = 0, 0, 0, Counter(), []
    while count < 30_000:
        state = Game(rule_set("openspiel")).start(shuffled_deal(rng, rng.choice((1, 1, 1, 2, 3, 4))), rng.randrange(3))
        spiel = spiel_deal(pyspiel, state)
        games += 1
        eager = rng.random() < 0.5
        while state.phase == "bid":
            assert spiel.current_player() == state.turn
            assert spiel.legal_actions() == state.legal_actions()
            bid = rng.choice(state.legal_actions())
            spiel.apply_action(bid)
            state.bid(bid)
        # Its auction goes on until two passes follow the highest bid; ours asks each seat once. The others pass
        # (the landlord, who leads, cannot).
        while not spiel.is_terminal() and 0 in spiel.legal_actions():
            longer_auctions += 1
            spiel.apply_action(0)
        while not state.is_over:
            assert spiel.current_player() == state.turn
            count += 1
            ids: dict[str, dict[str, int]] = {}     # cards -> main part -> its id
            for action in spiel.legal_actions():
                cards, main = spiel_move(spiel.action_to_string(action))
                ids.setdefault(cards, {})[main] = action
            ours, theirs = cards_of(state.legal_actions()), set(ids)
            for cards in ours ^ theirs:
                fault = spiel_fault(cards, state, theirs)
                faults[fault] += 1
                if fault is None:
                    unexplained.append((state.hands[state.turn], state.to_beat, cards,
                                        "theirs" if cards in theirs else "ours"))
            # The fault told from the other side: such a chain is never allowed.
            assert not [cards for cards in theirs if "" in ids[cards] and headed_by_four(cards, state.hands[state.turn])]
            # Play on with a move that both allow, read the same way: each reading has an id of its own.
            common = [move for move in state.legal_actions() if main_part(move) in ids.get(move.cards, {})]
            move = max(common, key=lambda move: len(move.cards)) if eager and rng.random() < 0.5 else rng.choice(common)
            state.play(move)
            spiel.apply_action(ids[move.cards][main_part(move)])
        assert spiel.is_terminal()
        assert spiel.returns() == list(state.payoffs())
    print(f"\nopen_spiel: {count} decisions in {games} games, explained differences {dict(faults)}, "
          f"{longer_auctions} further passes in its auctions")
    assert not unexplained, unexplained[:5]
    # Each fault was met, or the test would say little.
    assert set(faults) == {"bomb on a rocket", "four cannot head a chain"}


def test_openspiel_counts_the_same_readings():
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed (the peers extra)")
    # Its ids are our readings and the three bids.
    assert pyspiel.load_game("dou_dizhu").num_distinct_actions() == len(naive.all_actions("openspiel")) + 3
