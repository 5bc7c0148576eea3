"""How many there are of everything: the published counts, the naive twin and the engine must agree."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations_with_replacement

import numpy as np
import pytest

from searchdou.games.doudizhu import Move, _kernels, rule_set
from searchdou.games.doudizhu.cards import moves_from, pack

from . import naive
from .strategies import RULE_NAMES, action_of, engine_moves, kind_of, packed_of

_COMMON = {"PASS": 1, "SOLO": 15, "PAIR": 13, "TRIO": 13, "TRIO_SOLO": 182, "TRIO_PAIR": 156, "BOMB": 13, "ROCKET": 1,
           "CHAIN_SOLO": 36, "CHAIN_PAIR": 52, "PLANE": 45, "PLANE_PAIR": 2939}
# Readings: under douzero and openspiel the same cards may be read in several ways, so these exceed the distinct cards.
READINGS = {
    "standard": _COMMON | {"QUAD_SOLO": 1326, "QUAD_PAIR": 858, "PLANE_SOLO": 21822},
    "rlcard": _COMMON | {"QUAD_SOLO": 1326, "QUAD_PAIR": 858, "PLANE_SOLO": 21822},
    "douzero": _COMMON | {"QUAD_SOLO": 1339, "QUAD_PAIR": 858, "PLANE_SOLO": 24721},
    "openspiel": _COMMON | {"PLANE_SOLO": 22588},
    "botzone": _COMMON | {"QUAD_SOLO": 1183, "QUAD_PAIR": 858, "PLANE_SOLO": 8044,
                          "QUAD_CHAIN": 38, "QUAD_CHAIN_SOLO": 17105, "QUAD_CHAIN_PAIR": 3630},
}
# Distinct cards with the pass. Published for all but botzone, which is this project's own count.
DISTINCT = {"standard": 27472, "rlcard": 27472, "douzero": 29985, "openspiel": 25662, "botzone": 34324}


@pytest.mark.unit
@pytest.mark.parametrize("name", RULE_NAMES)
def test_the_naive_twin_lists_every_action(name):
    assert Counter(action.category for action in naive.all_actions(name)) == READINGS[name]
    assert len(naive.readings_of(name)) == DISTINCT[name]


@pytest.mark.unit
def test_plane_solos_by_length():
    # The counts by number of trios that the rule book gives.
    planes = [action for action in naive.all_actions("standard") if action.category == "PLANE_SOLO"]
    assert Counter(action.length for action in planes) == {2: 968, 3: 3282, 4: 7184, 5: 10388}
    planes = [action for action in naive.all_actions("standard") if action.category == "PLANE_PAIR"]
    assert Counter(action.length for action in planes) == {2: 605, 3: 1200, 4: 1134}


def engine_reading(cards: str, name: str, to_beat: int = 0) -> list[Move]:
    """What the engine makes of exactly these cards: one move, or none."""
    packed = pack(cards)
    return [Move(move) for move in moves_from(packed, to_beat, rule_set(name)) if move & _kernels.CARDS == packed]


def led(cards: str, name: str) -> naive.Action:
    """How the rule book reads cards that are led."""
    return max(naive.readings_of(name)[cards], key=naive._preference)


@pytest.mark.parametrize("name", RULE_NAMES)
def test_the_engine_leads_every_action_and_reads_it_right(name):
    categories = Counter(["PASS"])
    for cards in naive.readings_of(name):
        if cards:
            moves = engine_reading(cards, name)
            assert [action_of(move) for move in moves] == [led(cards, name)]
            categories[moves[0].category.name] += 1
    assert categories.total() == DISTINCT[name]
    # Only cards with two readings may be missing from a category, all of them planes.
    fewer = Counter(READINGS[name]) - categories
    assert set(fewer) <= {"PLANE_SOLO"}
    assert fewer.total() == sum(READINGS[name].values()) - DISTINCT[name]


@pytest.mark.unit
@pytest.mark.parametrize("name", RULE_NAMES)
def test_a_sample_of_actions_is_led(name):
    # The test above in small, for the runs without the JIT and with bounds checks.
    for cards in random.Random(name).sample(sorted(naive.readings_of(name)), 60):
        if cards:
            assert [action_of(move) for move in engine_reading(cards, name)] == [led(cards, name)]


@pytest.mark.parametrize("name", RULE_NAMES)
def test_every_reading_answers_a_lower_one(name):
    """An action of every reading that can be beaten by these cards is found when following."""
    for action in naive.all_actions(name):
        if action.category in ("PASS", "ROCKET") or action.rank == "3":
            continue
        lower = action._replace(rank=naive.RANKS[naive.RANKS.index(action.rank) - 1])
        best = max((reading for reading in naive.readings_of(name)[action.cards] if naive.beats(reading, lower)),
                   key=lambda reading: naive.RANKS.index(reading.rank))
        moves = engine_reading(action.cards, name, kind_of(lower))
        assert [move.packed for move in moves] == [packed_of(best)]


@pytest.mark.parametrize("name", RULE_NAMES)
def test_nothing_else_of_up_to_six_cards_is_a_combination(name):
    # Every hand of one to six cards: the converse of the lists above, without chance.
    known = naive.readings_of(name)
    for size in range(1, 7):
        for cards in combinations_with_replacement(naive.RANKS, size):
            if naive.in_deck(cards):
                text = "".join(cards)
                assert bool(engine_reading(text, name)) == (text in known), text


@pytest.mark.parametrize("name", RULE_NAMES)
def test_nothing_beyond_the_list_on_random_hands(name):
    rng = random.Random(20)
    found = 0
    for _ in range(300):
        hand = naive.ordered(rng.sample(naive.DECK, rng.choice((17, 20))))
        moves = engine_moves(hand, naive.PASS, name)
        found += len(moves)
        assert len(moves) == len(set(moves))
        assert set(moves) == naive.legal_moves(hand, naive.PASS, name)
    assert found > 10_000


@pytest.mark.parametrize("name", RULE_NAMES)
def test_the_buffer_holds_the_moves_of_the_richest_hands(name):
    # The output doubles as work space, so the hands with most kickers need most room: planes and quads with
    # every other rank beside them. Whatever fits in a slice of MAX_MOVES leaves the guard behind it alone.
    rules = rule_set(name)
    buffer = np.full(2 * _kernels.MAX_MOVES, -7, np.int64)
    rng = random.Random(1)
    for _ in range(2000):
        low, length, copies = rng.randrange(0, 8), rng.randrange(2, 6), rng.choice((3, 3, 4))
        hand = naive.CHAINABLE[low:low + length] * copies
        rest = [card for card in naive.DECK if card not in hand]
        if rng.random() < 0.7:  # many ranks, a few copies of each
            rest = sorted(rest, key=lambda card: rng.random() + rest.index(card) % rng.choice((2, 4)))
        else:
            rng.shuffle(rest)
        hand = naive.ordered((hand + "".join(rest))[:20])
        _kernels.lead_moves(pack(hand), rules.switches, buffer)
        assert (buffer[_kernels.MAX_MOVES:] == -7).all(), hand


# --- node counts ------------------------------------------------------------------------------------------------

def perft(position: _kernels.Position, depth: int) -> int:
    return int(_kernels.perft(position, depth, np.empty((depth + 1, _kernels.MAX_MOVES), np.int64)))


def small_position(name: str, hands: tuple[str, str, str]) -> tuple[_kernels.Position, naive.Game]:
    """Seat 0 is landlord and leads with a few cards left; in the engine and in the twin."""
    packed = [pack(hand) for hand in hands]
    return (_kernels.start(*packed, 0, rule_set(name).switches, 0, 0), naive.Game(name, hands, "", 0, False))


# (rule set, hands, depth, nodes); the numbers were computed by both sides.
PERFT = [
    ("standard", ("3344556", "77889", "TTJJQQ"), 8, 2114),
    ("standard", ("33334BR", "4444556", "55667"), 8, 5490),
    ("standard", ("345678", "456789", "56789T"), 8, 8512),
    ("rlcard", ("33344456", "55566678", "777888"), 6, 2831),
    ("douzero", ("333344BR", "555566", "77778"), 7, 3567),
    ("openspiel", ("33344455", "66667", "88BR"), 8, 3295),
    ("botzone", ("3333444456", "55556666", "77BR"), 6, 4634),
]


@pytest.mark.unit
@pytest.mark.parametrize(("name", "hands", "depth", "nodes"), PERFT)
def test_node_counts_of_small_positions(name, hands, depth, nodes):
    position, game = small_position(name, hands)
    assert perft(position, depth) == nodes
    assert naive.perft(game, depth) == nodes


# A whole deal, from the first bid; the engine one action deeper than the twin.
DEAL = ("3334445678TTJQKK2", "55566678899JQQA2B", "3477899TTJQKKAA2R", "2JA")
DEAL_NODES = {"standard": [4, 112, 345, 2125, 27662, 48974], "botzone": [4, 106, 339, 2174, 26824, 48319]}


@pytest.mark.parametrize("name", ["standard", "botzone"])
def test_node_counts_of_a_deal(name):
    packed = [pack(cards) for cards in DEAL]
    position = _kernels.start(*packed, rule_set(name).switches, 1, -1)
    counts = [perft(position, depth) for depth in range(1, 7)]
    assert counts == DEAL_NODES[name]
    game = naive.Game(name, DEAL[:3], DEAL[3], 1, True)
    assert [naive.perft(game, depth) for depth in range(1, 6)] == counts[:5]
