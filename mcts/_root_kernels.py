"""Values of the root's candidates on sampled deals: one row a deal, one column a candidate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inference._game_kernels import action_values, cards_left, evaluate, legal, over, points, side, step, tell, with_hands
from inference._math_kernels import log
from inference._rng_kernels import below
from inference.kernel import kernel
from mcts._solver_kernels import HUGE, Table, solve
from mcts._tree_kernels import Tree, back_up, best_value, clear, search

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]
SHIFT, ONE = np.uint64(2), np.uint64(1)


class Plan(NamedTuple):
    """How a candidate is valued on one deal; the numbers that do not change during a decision."""

    tree: int             # 1: a tree search of `simulations`; 0: that many evaluations of the leaf, no tree
    simulations: int
    c: float              # exploration constant, in points
    temperature: float    # above 0: PUCT with priors at this temperature, in points
    solve_cards: int      # with this many cards left or fewer the ending is solved exactly
    solve_nodes: int      # nodes a solve may take before the search is used after all
    minimax: bool = False # back up the best child's value instead of the mean of all simulations
    alone: int = 1000     # a solution counts alone with this many cards left or fewer; with more half, beside the search


class Scratch(NamedTuple):
    """What one thread writes into."""

    tree: Tree
    table: Table
    out: Ints             # legal actions
    q: Floats             # priors


@kernel
def world_after(view: Any, hands: Ints, action: int) -> tuple[Any, bool, int]:
    """The state after `action` on one deal, whether it ends the game, and the cards left."""
    state = step(with_hands(view, hands), action)
    return state, over(state), cards_left(state)


@kernel
def prior_values(view: Any, hands: Ints, policy: Any, actions: Ints, q: Floats) -> None:
    """What a policy that sees only its own seat's knowledge thinks of the root's actions, into `q`; any deal will do."""
    action_values(policy, with_hands(view, hands), actions, actions.size, q)


@kernel
def weighted(values: Floats, weights: Floats) -> tuple[float, float, int]:
    """The weighted mean of the values that are there (not NaN), its standard error, and how many there are.

    The variance is that of a weighted mean, with the usual n / (n - 1); fewer than two values have none (NaN).
    """
    n, share, mean = 0, 0.0, 0.0
    for i in range(values.size):
        if not np.isnan(values[i]):
            n += 1
            share += weights[i]
            mean += weights[i] * values[i]
    if n == 0:
        return np.nan, np.nan, 0
    mean /= share
    if n == 1:
        return mean, np.nan, 1
    spread = 0.0
    for i in range(values.size):
        if not np.isnan(values[i]):
            away = weights[i] / share * (values[i] - mean)
            spread += away * away
    return mean, np.sqrt(spread * n / (n - 1)), n


@kernel
def value_of(state: Any, leaf: Any, prior: Any, plan: Plan, scratch: Scratch, rng: Words, counts: Ints) -> float:
    """What `state` is worth to side 0 with open cards; counts[0] simulations made, counts[1] endings solved."""
    if over(state):
        return points(state)
    if cards_left(state) <= plan.solve_cards:
        scratch.table.nodes[0] = 0
        scratch.table.nodes[1] = plan.solve_nodes
        value = float(solve(state, scratch.table, scratch.out, -HUGE, HUGE))
        if scratch.table.nodes[0] <= plan.solve_nodes:
            counts[1] += 1
            if cards_left(state) > plan.alone:
                value = 0.5 * (value + _searched(state, leaf, prior, plan, scratch, rng, counts))
            return value
    return _searched(state, leaf, prior, plan, scratch, rng, counts)


@kernel
def _searched(state: Any, leaf: Any, prior: Any, plan: Plan, scratch: Scratch, rng: Words, counts: Ints) -> float:
    counts[0] += plan.simulations
    if plan.tree:
        clear(scratch.tree)
        found = search(scratch.tree, state, leaf, prior, plan.temperature, plan.c, plan.simulations, rng, scratch.out,
                       scratch.q, plan.minimax)
        if plan.minimax:
            return found
        return best_value(scratch.tree, 1.0 if side(state) == 0 else -1.0)
    total = 0.0
    for _ in range(plan.simulations):
        total += evaluate(leaf, state, rng, scratch.out)
    return total / plan.simulations


@kernel
def value_candidates(view: Any, hands: Ints, simple: Ints, streams: Words, candidates: Ints, active: Ints, leaf: Any,
                     prior: Any, plan: Plan, scratch: Scratch, values: Floats, counts: Ints) -> None:
    """Fill `values` [deals, candidates] for the active candidates on the deals `hands` [deals, seats].

    `streams` [deals] seeds every deal; all candidates of a deal see the same random numbers, so that their
    differences are sharper than their values, and nothing depends on which thread does what. `simple` [deals] says which
    seats play simply (`draw_simple`): a leaf that knows how solves nothing then, since a solution is of best play.
    """
    rng = np.empty(1, np.uint64)
    unsolved = Plan(plan.tree, plan.simulations, plan.c, plan.temperature, -1, plan.solve_nodes, plan.minimax, plan.alone)
    for row in range(hands.shape[0]):
        plan_here = unsolved if tell(leaf, simple[row]) and simple[row] else plan
        world = with_hands(view, hands[row])
        scratch.table.nodes[2] = (streams[row] >> SHIFT) << ONE       # even: a key's lowest bit says that it is in use
        for i in range(candidates.size):
            if active[i]:
                rng[0] = streams[row]
                values[row, i] = value_of(step(world, candidates[i]), leaf, prior, plan_here, scratch, rng, counts)


# --- information-set search: one tree for all deals ----------------------------------------------------------------

@kernel
def ismcts(tree: Tree, view: Any, hands: Ints, streams: Words, leaf: Any, c: float, out: Ints) -> None:
    """One simulation a deal on a single tree of actions (Cowling, Powley and Whitehouse 2012, SO-ISMCTS).

    A child competes only on deals in which it is legal; `tree.prior` counts how often it was (its availability).
    Children are added one at a time, in front of their siblings.
    """
    rng = np.empty(1, np.uint64)
    for row in range(hands.shape[0]):
        rng[0] = streams[row]
        state = with_hands(view, hands[row])
        node, depth = 0, 0
        tree.path[0] = 0
        grown = False
        while not over(state) and not grown:
            n = legal(state, out)
            child = _missing(tree, node, out, n, rng)
            if child >= 0 and tree.used[0] < tree.action.size:
                new = tree.used[0]
                tree.used[0] += 1
                tree.action[new] = out[child]
                tree.first[new] = -1
                tree.sibling[new] = tree.first[node]
                tree.first[node] = new
                tree.visits[new] = 0
                tree.total[new] = 0.0
                tree.prior[new] = 1.0
                node, grown = new, True
            else:
                node = _available_best(tree, node, out, n, 1.0 if side(state) == 0 else -1.0, c)
                if node < 0:
                    break
            state = step(state, tree.action[node])
            depth += 1
            tree.path[depth] = node
        back_up(tree, depth, points(state) if over(state) else evaluate(leaf, state, rng, out))


@kernel
def _missing(tree: Tree, node: int, actions: Ints, n: int, rng: Words) -> int:
    """A random one of the actions that have no child yet, by its place in `actions`; -1 when all have."""
    found, choice = 0, -1
    for i in range(n):
        child = tree.first[node]
        while child >= 0 and tree.action[child] != actions[i]:
            child = tree.sibling[child]
        if child < 0:
            found += 1
            if found == 1 or below(rng, found) == 0:
                choice = i
    return choice


@kernel
def _available_best(tree: Tree, node: int, actions: Ints, n: int, sign: float, c: float) -> int:
    """The legal child with the highest v + c sqrt(ln availability / n); all that are legal become more available."""
    best, best_score = -1, -1e300
    child = tree.first[node]
    while child >= 0:
        for i in range(n):
            if actions[i] == tree.action[child]:
                visits = max(1, tree.visits[child])
                score = sign * tree.total[child] / visits + c * np.sqrt(log(tree.prior[child] + 1.0) / visits)
                tree.prior[child] += 1.0
                if score > best_score:
                    best, best_score = child, score
                break
        child = tree.sibling[child]
    return best
