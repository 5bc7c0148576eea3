"""Open-card tree search: the same numbers as a slow twin, and the solver's values in the limit."""

from __future__ import annotations

import random
from types import SimpleNamespace

import numpy as np
import pytest

from inference import _game_kernels as game_kernels
from inference._game_kernels import Uniform
from inference._policy_kernels import Rollout, rollout_value
from inference._rng_kernels import below, stream
from mcts._solver_kernels import HUGE, new_table, solve
from mcts._tree_kernels import advance, best_value, clear, new_tree, principal_line, search
from searchdou.agents import _doudizhu_rule_kernels as rule
from searchdou.games.doudizhu import _kernels as doudizhu_kernels
from searchdou.games.doudizhu import _search_kernels as doudizhu_search
from searchdou.games.gongzhu import _kernels as gongzhu_kernels
from searchdou.games.gongzhu import _search_kernels as gongzhu_search
from searchdou.games.gongzhu import encode
from searchdou.games.gongzhu._net_kernels import oracle_values
from tests.doudizhu.strategies import RULE_NAMES

from . import naive

OUT = np.empty(4 * doudizhu_kernels.MAX_MOVES, np.int64)
Q = np.empty(doudizhu_kernels.MAX_MOVES)
LEAF = Rollout(Uniform())
GREEDY = gongzhu_search.Greedy(0.0)


def legal(kernel):
    def actions(state) -> list[int]:
        return OUT[:kernel(state, OUT)].tolist()
    return actions


RULES = {
    "gongzhu": SimpleNamespace(over=gongzhu_kernels.is_over, step=gongzhu_kernels.step, side=gongzhu_search.side,
                               points=gongzhu_search.points, legal=legal(gongzhu_kernels.legal)),
    "doudizhu": SimpleNamespace(over=doudizhu_search.over, step=doudizhu_kernels.step, side=doudizhu_search.side,
                                points=doudizhu_search.points, legal=legal(doudizhu_kernels.legal)),
}


def ending(game: str, seed: int, size: int | None = None):
    """A random ending; `size` is cards a seat in Gongzhu, cards in all in DouDizhu."""
    rng = random.Random(seed)
    if game == "gongzhu":
        return naive.gongzhu_position(naive.gongzhu_ending(rng, size or 3))
    return naive.doudizhu_ending(rng, RULE_NAMES[seed % len(RULE_NAMES)], size or 9).position()


def prior_of(game: str):
    return GREEDY if game == "gongzhu" else rule.rule_policy()


def grown(game: str, seed: int, simulations: int, *, temperature: float = 0.0, c: float | None = None, nodes: int = 100_000,
          size: int | None = None):
    """A tree of so many simulations on a random ending, and the ending."""
    position = ending(game, seed, size)
    tree = new_tree(nodes)
    clear(tree)
    search(tree, position, LEAF, prior_of(game), temperature, c or (200.0 if game == "gongzhu" else 3.0), simulations,
           stream(seed), OUT, Q)
    return tree, position


GAMES = pytest.mark.parametrize("game", ["gongzhu", "doudizhu"])


@pytest.mark.unit
@GAMES
@pytest.mark.parametrize("temperature", [0.0, 5.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_tree_equals_its_slow_twin(game, temperature, seed):
    tree, position = grown(game, seed, 120, temperature=temperature, c=30.0)
    policy = prior_of(game)

    def priors(state) -> dict[int, float]:
        actions = np.array(RULES[game].legal(state), np.int64)
        q = np.empty(len(actions))
        (gongzhu_search.greedy_values if game == "gongzhu" else rule.policy_values)(policy, state, actions, len(actions), q)
        p = np.exp((q - q.max()) / temperature)
        return dict(zip(actions.tolist(), (p / p.sum()).tolist(), strict=True))

    slow = naive.SlowTree(RULES[game], lambda state, rng: rollout_value(LEAF, state, rng, OUT),
                          priors if temperature else None, 30.0, below)
    slow.search(position, 120, stream(seed))
    assert naive.statistics(tree) == slow.statistics()


ORACLE = encode.oracle(encode.untrained(encode.OPEN, 5))


@pytest.mark.parametrize("minimax", [False, True])
@pytest.mark.parametrize("leaf", [LEAF, ORACLE], ids=["rollout", "net"])
@pytest.mark.parametrize("seed", range(4))
def test_leaves_that_look_ahead_and_minimax_equal_the_slow_twin(leaf, minimax, seed):
    position = ending("gongzhu", seed, 4)
    tree = new_tree(100_000)
    clear(tree)
    search(tree, position, leaf, GREEDY, 0.0, 30.0, 150, stream(seed), OUT, Q, minimax)

    def children(state, actions) -> list[float]:
        q = np.empty(len(actions))
        oracle_values(ORACLE, state, np.array(actions), len(actions), q)
        return q.tolist()

    slow = naive.SlowTree(RULES["gongzhu"], lambda state, rng: rollout_value(LEAF, state, rng, OUT), None, 30.0, below,
                          children=children if leaf is ORACLE else None, minimax=minimax)
    slow.search(position, 150, stream(seed))
    found, expected = naive.statistics(tree), slow.statistics()
    assert {path: visits for path, (visits, _) in found.items()} == {path: visits for path, (visits, _) in expected.items()}
    assert [total for _, total in found.values()] == pytest.approx([expected[path][1] for path in found])


@pytest.mark.parametrize("seed", range(12))
def test_a_minimax_tree_that_reaches_the_end_is_exact(seed):
    """Grown until every line is played out, whatever the net thinks."""
    position = ending("gongzhu", seed, 2)
    tree = new_tree(100_000)
    clear(tree)
    value = search(tree, position, ORACLE, GREEDY, 0.0, 1e6, 5000, stream(seed), OUT, Q, True)
    assert value == pytest.approx(float(solve(position, new_table(10), OUT, -HUGE, HUGE)))


@pytest.mark.unit
@GAMES
@pytest.mark.parametrize("temperature", [0.0, 5.0])
def test_visits_and_totals_add_up(game, temperature):
    for seed in range(4):
        tree, _ = grown(game, seed, 150, temperature=temperature)
        assert tree.visits[0] == 150
        for path, (visits, _) in naive.statistics(tree).items():
            below_it = [v for p, v in naive.statistics(tree).items() if p[:-1] == path and p]
            if below_it:
                # Every visit goes on to a child, but for the one that evaluated the node itself (the root has none).
                assert visits == sum(n for n, _ in below_it) + (path != ())


@pytest.mark.unit
@GAMES
@pytest.mark.parametrize("nodes", [1, 2, 3, 7, 20, 61])
def test_a_full_tree_works_on(game, nodes):
    for seed in range(3):
        tree, _ = grown(game, seed, 60, nodes=nodes)
        assert tree.used[0] <= nodes
        assert tree.visits[0] == 60
        assert np.isfinite(best_value(tree, 1.0))
        assert tree.first[:tree.used[0]].max() < nodes


@pytest.mark.unit
@GAMES
def test_a_second_search_goes_on_with_the_first(game):
    position = ending(game, 2)
    at_once, in_two = new_tree(5000), new_tree(5000)
    for tree, parts in ((at_once, (60,)), (in_two, (25, 35))):
        clear(tree)
        rng = stream(8)
        for n in parts:
            search(tree, position, LEAF, prior_of(game), 0.0, 30.0, n, rng, OUT, Q)
    assert naive.statistics(at_once) == naive.statistics(in_two)


@pytest.mark.unit
@GAMES
@pytest.mark.parametrize("temperature", [0.0, 5.0])
def test_advance_keeps_what_is_below_the_move(game, temperature):
    for seed in range(6):
        tree, position = grown(game, seed, 120, temperature=temperature, nodes=5000)
        before = naive.statistics(tree)
        scratch = new_tree(5000)
        action = max((path for path in before if len(path) == 1), key=lambda path: before[path][0])[0]
        expected = {path[1:]: numbers for path, numbers in before.items() if path[:1] == (action,)}
        assert advance(tree, action, scratch)
        assert naive.statistics(tree) == expected
        assert tree.used[0] == len(expected)
        after = RULES[game].step(position, action)
        if not RULES[game].over(after):                   # and the tree can be grown further
            search(tree, after, LEAF, prior_of(game), temperature, 30.0, 20, stream(1), OUT, Q)
            assert tree.visits[0] == expected[()][0] + 20


@pytest.mark.unit
def test_advance_by_an_unknown_move_empties_the_tree():
    tree, _ = grown("gongzhu", 1, 50, nodes=5000)
    assert not advance(tree, 99, new_tree(5000))
    assert naive.statistics(tree) == {(): (0, 0.0)}


@pytest.mark.unit
@GAMES
def test_the_principal_line_is_legal_and_the_most_visited(game):
    for seed in range(4):
        tree, position = grown(game, seed, 200)
        line = np.empty(40, np.int64)
        n = principal_line(tree, line)
        assert n > 0
        numbers = naive.statistics(tree)
        for i, action in enumerate(line[:n].tolist()):
            assert action in RULES[game].legal(position)
            position = RULES[game].step(position, action)
            rivals = [v for path, (v, _) in numbers.items() if path[:-1] == tuple(line[:i].tolist()) and len(path) == i + 1]
            assert numbers[tuple(line[:i + 1].tolist())][0] == max(rivals) > 0
        assert principal_line(tree, line[:1]) == 1


@pytest.mark.unit
def test_the_stubs_are_the_games_functions():
    position = ending("gongzhu", 1)
    assert game_kernels._rules[type(position)].step is gongzhu_kernels.step


# --- convergence ------------------------------------------------------------------------------------------------------
# The criterion: over random endings, the error of `best_value` against the solver at the median and at the 90th
# percentile, at 3,000 simulations and five times as many. Gongzhu in points, DouDizhu in stakes (what a win is worth).

POSITIONS = 60


def errors(game: str, simulations: int, temperature: float) -> np.ndarray:
    found = []
    for seed in range(POSITIONS):
        tree, position = grown(game, seed, simulations, temperature=temperature, nodes=20 * simulations + 500)
        exact = solve(position, new_table(12), OUT, -HUGE, HUGE)
        unit = 1 if game == "gongzhu" else doudizhu_search.scale(position)
        found.append(abs(best_value(tree, 1.0 if RULES[game].side(position) == 0 else -1.0) - exact) / unit)
    return np.array(found)


@GAMES
def test_values_converge_to_the_solvers(game):
    few, some, many = (np.quantile(errors(game, n, 0.0), (0.5, 0.9)) for n in (30, 3_000, 15_000))
    median, most = (5.0, 20.0) if game == "gongzhu" else (0.03, 0.15)
    assert some[0] < median
    assert some[1] < most
    assert many[0] < 0.7 * median
    assert many[1] < 0.7 * most
    assert few[1] > most                                  # the criterion tells a search from a guess


@GAMES
def test_values_with_priors_converge_too(game):
    temperature, median, most = (20.0, 6.0, 45.0) if game == "gongzhu" else (1.0, 0.03, 0.2)
    some = np.quantile(errors(game, 3_000, temperature), (0.5, 0.9))
    assert some[0] < median
    assert some[1] < most
