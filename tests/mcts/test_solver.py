"""The exact solver, against trying everything."""

from __future__ import annotations

import random

import numpy as np
import pytest

from mcts._solver_kernels import HUGE, new_table, solve, solved_line
from searchdou.games.doudizhu import _kernels as doudizhu_kernels
from searchdou.games.doudizhu import _search_kernels as _doudizhu  # noqa: F401 (teaches the solver this game)
from searchdou.games.gongzhu import _kernels as gongzhu_kernels
from searchdou.games.gongzhu import _search_kernels as gongzhu_search
from tests.doudizhu.strategies import RULE_NAMES
from tests.gongzhu.naive import DECK, HEARTS
from tests.gongzhu.naive import Game as GongzhuGame

from . import naive

OUT = np.empty(8 * doudizhu_kernels.MAX_MOVES, np.int64)


def value_of(position, table=None) -> int:
    table = table or new_table(10)
    table.nodes[:] = 0
    return int(solve(position, table, OUT, -HUGE, HUGE))


# --- values -----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("cards_each", "n"), [(1, 60), (2, 200), (3, 100), (4, 3)])
def test_gongzhu_endings_equal_minimax(cards_each, n):
    rng = random.Random(cards_each)
    shared = new_table(12)                                # filled by the other positions, and no worse for it
    for _ in range(n):
        game = naive.gongzhu_ending(rng, cards_each)
        expected = naive.gongzhu_value(game)
        position = naive.gongzhu_position(game)
        assert value_of(position) == expected, game.__dict__
        assert value_of(position, shared) == expected, game.__dict__


@pytest.mark.unit
def test_gongzhu_endings_equal_minimax_quickly():
    rng = random.Random(9)
    for _ in range(15):
        game = naive.gongzhu_ending(rng, 2)
        assert value_of(naive.gongzhu_position(game)) == naive.gongzhu_value(game)


def ending(hands: str, piles: list[list[str]], leader: int) -> GongzhuGame:
    game = GongzhuGame([hand.split() for hand in hands.split("|")], leader)
    game.piles = piles
    held = [card for hand in game.hands for card in hand]
    rest = [card for card in DECK if card not in held and not any(card in pile for pile in piles)]
    game.piles[3] = game.piles[3] + rest
    return game


@pytest.mark.unit
@pytest.mark.parametrize(("hands", "piles", "leader"), [
    # Seat 0 has twelve hearts: the last one is worth 400 to its side, or is kept from it.
    ("SA S3|H2 S4|S5 C2|S6 C3", [HEARTS[1:], [], [], []], 0),
    ("SA S3|H2 D4|S5 C2|S6 C3", [HEARTS[1:], [], [], []], 0),
    # The same with the doubler in the pile, and with the doubler still to come.
    ("SA S3|H2 S4|S5 C2|S6 C3", [[*HEARTS[1:], "C10"], [], [], []], 0),
    ("SA S3|H2 S4|S5 C10|S6 C3", [HEARTS[1:], [], [], []], 0),
    # The doubler alone is +50; with the two of hearts it is nothing, with the pig it is dreadful, with the sheep a joy.
    ("C10 C2|CA C3|C4 H2|C5 S2", [[], [], [], []], 1),
    ("C10 C2|CA C3|C4 SQ|C5 DJ", [[], [], [], []], 1),
    ("C10 C2|CA C3|C4 SQ|C5 DJ", [[], ["HA"], [], []], 1),
])
def test_gongzhu_doubling_and_all_hearts(hands, piles, leader):
    held = hands.replace("|", " ").split()
    game = ending(hands, [[card for card in pile if card not in held] for pile in piles], leader)
    assert value_of(naive.gongzhu_position(game)) == naive.gongzhu_value(game)


@pytest.mark.parametrize("rules", RULE_NAMES)
def test_doudizhu_endings_equal_minimax(rules):
    rng = random.Random(3)
    shared = new_table(12)
    for number in range(120):
        game = naive.doudizhu_ending(rng, rules, 4 + number % 6)
        expected = naive.doudizhu_value(game)
        assert value_of(game.position()) == expected, game
        assert value_of(game.position(), shared) == expected, game


def test_one_table_serves_all_rule_sets():
    """An agent keeps its table when the next infoset comes under other rules."""
    rng = random.Random(4)
    shared = new_table(14)
    for _ in range(40):
        game = naive.doudizhu_ending(rng, "standard", 7)
        for rules in RULE_NAMES:
            other = game._replace(rules=rules)
            assert value_of(other.position(), shared) == naive.doudizhu_value(other), other


@pytest.mark.unit
@pytest.mark.parametrize("rules", RULE_NAMES)
@pytest.mark.parametrize(("hands", "landlord", "turn", "plays"), [
    (("33334", "56", "78"), 0, 0, (1, 1)),       # a bomb on the way out
    (("33334", "5555", "78"), 0, 0, (1, 1)),     # and one that answers it
    (("34", "BR3", "44"), 0, 0, (1, 0)),         # anti-spring: the landlord has played once
    (("A2", "34", "56"), 0, 0, (1, 0)),          # spring: the peasants have played nothing
    (("3BR", "4", "5"), 1, 0, (2, 2)),
])
def test_doudizhu_bombs_and_spring(rules, hands, landlord, turn, plays):
    for bid in (0, 3):
        game = naive.Ending(rules, landlord, bid, hands, turn, landlord_plays=plays[0], peasant_plays=plays[1], bombs=1)
        assert value_of(game.position()) == naive.doudizhu_value(game)


def test_nobody_wins_more_than_the_reach():
    """The bound the solver cuts by, against all there is to win and to lose."""
    rng = random.Random(11)
    sharp = 0
    for number in range(400):
        game = naive.gongzhu_ending(rng, 1 + number % 3)
        position = naive.gongzhu_position(game)
        most = gongzhu_search.reach(position)
        settled = gongzhu_kernels.difference(position)
        lines = []

        def play_on(position, lines=lines, settled=settled) -> None:
            cards = [card for card in range(52) if gongzhu_kernels.legal_mask(position) >> card & 1]
            if not cards:
                lines.append(gongzhu_kernels.difference(position) - settled)
            for card in cards[:3]:
                play_on(gongzhu_kernels.step(position, card))
        play_on(position)
        assert max(map(abs, lines)) <= most, game.hands
        sharp += most == 0
    assert sharp > 5


def test_a_window_bounds_the_value():
    rng = random.Random(5)
    for number in range(40):
        gongzhu = naive.gongzhu_ending(rng, 2)
        doudizhu = naive.doudizhu_ending(rng, RULE_NAMES[number % 5], 7)
        for position, exact in ((naive.gongzhu_position(gongzhu), naive.gongzhu_value(gongzhu)),
                                (doudizhu.position(), naive.doudizhu_value(doudizhu))):
            for alpha in (exact - 30, exact - 1, exact, exact + 5):
                found = int(solve(position, new_table(8), OUT, alpha, alpha + 11))
                if found <= alpha:
                    assert exact <= found
                elif found >= alpha + 11:
                    assert exact >= found
                else:
                    assert exact == found


# --- limits and lines -------------------------------------------------------------------------------------------------

def middle_game(cards_each: int, seed: int) -> gongzhu_kernels.Position:
    rng = random.Random(seed)
    game = naive.gongzhu_ending(rng, cards_each)
    while game.trick:
        game = naive.gongzhu_ending(rng, cards_each)
    return naive.gongzhu_position(game)


def test_the_node_limit_is_honoured_and_leaves_no_lies_in_the_table():
    for seed in range(5):
        position = middle_game(4, seed)
        exact = value_of(position, new_table(14))
        whole = new_table(14)
        value_of(position, whole)
        table = new_table(14)
        for limit in (1, 10, 100, 300):
            table.nodes[:2] = 0, limit
            found = solve(position, table, OUT, -HUGE, HUGE)
            if table.nodes[0] <= limit:                   # done: what the earlier tries left in the table helped
                assert found == exact
                break
            assert whole.nodes[0] > limit                 # past the limit is the sign that the answer is no answer
            # Nothing is expanded beyond the limit: what is left are the brothers of the nodes on the way back.
            assert table.nodes[0] <= limit + 13 * 16
        assert value_of(position, table) == exact
    rng = random.Random(6)
    for _ in range(20):
        game = naive.doudizhu_ending(rng, "standard", 9)
        table = new_table(10)
        table.nodes[:2] = 0, 5
        solve(game.position(), table, OUT, -HUGE, HUGE)
        assert value_of(game.position(), table) == naive.doudizhu_value(game)


def test_under_another_salt_nothing_is_remembered():
    position = middle_game(4, 2)
    table, fresh = new_table(14), new_table(14)
    exact = value_of(position, fresh)
    table.nodes[:] = 0
    assert solve(position, table, OUT, -HUGE, HUGE) == exact
    for salt, nodes in ((0, 1), (2**40, int(fresh.nodes[0])), (0, 1)):     # what is remembered takes one node
        table.nodes[:] = 0, 0, salt
        assert solve(position, table, OUT, -HUGE, HUGE) == exact
        assert table.nodes[0] == nodes or salt == 0
    assert fresh.nodes[0] > 50


def test_a_larger_table_searches_fewer_nodes_and_finds_the_same():
    position = middle_game(4, 3)
    small, large = new_table(1), new_table(16)
    assert value_of(position, small) == value_of(position, large)
    assert large.nodes[0] < small.nodes[0]


def test_a_solved_line_of_gongzhu_is_legal_and_reaches_the_value():
    rng = random.Random(7)
    line = np.empty(32, np.int64)
    for _ in range(20):
        game = naive.gongzhu_ending(rng, 3)
        position = naive.gongzhu_position(game)
        table = new_table(12)
        value = value_of(position, table)
        n = solved_line(position, table, OUT, line)
        assert n == sum(map(len, game.hands))
        for card in line[:n]:
            assert DECK[card] in game.legal()
            game.play(DECK[card])
        assert game.is_over()
        assert game.difference() == value


def test_a_solved_line_of_doudizhu_is_legal_and_reaches_the_value():
    rng = random.Random(8)
    line = np.empty(64, np.int64)
    for number in range(60):
        game = naive.doudizhu_ending(rng, RULE_NAMES[number % 5], 8)
        table = new_table(12)
        value = value_of(game.position(), table)
        n = solved_line(game.position(), table, OUT, line)
        for packed in line[:n].tolist():
            game = game.play(next(action for action in game.legal() if naive.packed_action(action) == packed))
        assert game.points() == value
    assert solved_line(game.position(), table, OUT, line) == 0       # the game is over


def test_a_short_line_is_cut():
    position = middle_game(3, 1)
    line = np.full(3, -1, np.int64)
    table = new_table(12)
    assert solved_line(position, table, OUT, line) == 3
    assert (line >= 0).all()


def test_a_line_ends_where_its_nodes_do():
    game = naive.gongzhu_ending(random.Random(4), 4)
    position, line = naive.gongzhu_position(game), np.empty(64, np.int64)
    assert solved_line(position, new_table(12), OUT, line) == 16
    table = new_table(12)
    table.nodes[1] = 5
    assert solved_line(position, table, OUT, line) < 16
