"""Open-card tree search: select, expand, evaluate, back up, on flat arrays that are filled in place.

Two sides, values in points of side 0. Select by the paper's UCB, argmax v + c sqrt(ln N / n) (ScrofaZero 8.6), or by
PUCT, argmax v + c p sqrt(N) / (1 + n), when priors are asked for. A leaf that looks ahead (a value net) gives all
children of a new node their first value at once, and the node the best of them.

Two ways to back up: the mean of all simulations, as in the paper; or the best child's value (minimax), for leaves
without noise, where a mean would only dilute what is known with what was tried.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inference._game_kernels import (
    action_values,
    child_values,
    evaluate,
    legal,
    looks_ahead,
    over,
    points,
    side,
    step,
)
from inference._math_kernels import exp, log
from inference._rng_kernels import Stream, below
from inference.kernel import kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Tree(NamedTuple):
    """Nodes by number, the root is 0; children of a node are `first`, then along `sibling`, -1 ends."""

    action: Ints      # [nodes] the action that leads here
    first: Ints       # [nodes] first child, -1 while not expanded
    sibling: Ints     # [nodes] next child of the same parent
    visits: Ints      # [nodes]
    total: Floats     # [nodes] points of side 0, visits times the node's value
    prior: Floats     # [nodes] probability by the prior policy, among siblings
    path: Ints        # [longest game] the nodes of the simulation under way
    signs: Floats     # [longest game] +1 where side 0 is to play on that path, -1 where side 1 is
    used: Ints        # [1] nodes in use


def new_tree(nodes: int, longest: int = 512) -> Tree:
    """Room for `nodes` nodes and games of up to `longest` actions."""
    return Tree(np.zeros(nodes, np.int64), np.full(nodes, -1, np.int64), np.full(nodes, -1, np.int64),
                np.zeros(nodes, np.int64), np.zeros(nodes), np.zeros(nodes), np.zeros(longest, np.int64),
                np.zeros(longest), np.zeros(1, np.int64))


@kernel
def clear(tree: Tree) -> None:
    """Make the tree empty: a root that was never visited."""
    tree.used[0] = 1
    tree.first[0] = -1
    tree.sibling[0] = -1
    tree.visits[0] = 0
    tree.total[0] = 0.0


@kernel
def expand(tree: Tree, node: int, actions: Ints, n: int) -> bool:
    """Give `node` its n children, unvisited; False when the tree is full."""
    first = tree.used[0]
    if first + n > tree.action.size:
        return False
    tree.used[0] = first + n
    tree.first[node] = first
    for i in range(n):
        child = first + i
        tree.action[child] = actions[i]
        tree.first[child] = -1
        tree.sibling[child] = child + 1 if i + 1 < n else -1
        tree.visits[child] = 0
        tree.total[child] = 0.0
        tree.prior[child] = 1.0 / n
    return True


@kernel
def select_ucb(tree: Tree, node: int, sign: float, c: float, rng: Stream) -> int:
    """The child with the highest v + c sqrt(ln N / n); unvisited children first, in random order."""
    child = tree.first[node]
    fresh = 0
    best, best_score = child, -1e300
    log_n = log(tree.visits[node] + 1.0)
    while child >= 0:
        n = tree.visits[child]
        if n == 0:
            fresh += 1
            if fresh == 1 or below(rng, fresh) == 0:
                best = child
        elif fresh == 0:
            score = sign * tree.total[child] / n + c * np.sqrt(log_n / n)
            if score > best_score:
                best, best_score = child, score
        child = tree.sibling[child]
    return best


@kernel
def select_puct(tree: Tree, node: int, sign: float, c: float) -> int:
    """The child with the highest v + c p sqrt(N) / (1 + n); an unvisited child is thought worth its parent."""
    child = tree.first[node]
    best, best_score = child, -1e300
    root_n = np.sqrt(tree.visits[node] + 1.0)
    parent = sign * tree.total[node] / max(1, tree.visits[node])
    while child >= 0:
        n = tree.visits[child]
        value = sign * tree.total[child] / n if n else parent
        score = value + c * tree.prior[child] * root_n / (1.0 + n)
        if score > best_score:
            best, best_score = child, score
        child = tree.sibling[child]
    return best


@kernel
def set_priors(tree: Tree, node: int, policy: Any, state: Any, out: Ints, n: int, temperature: float, q: Floats) -> None:
    """Priors of the children of `node`: softmax of the policy's values at `temperature` points."""
    action_values(policy, state, out, n, q)
    top = q[0]
    for i in range(1, n):
        top = max(top, q[i])
    total = 0.0
    for i in range(n):
        q[i] = exp((q[i] - top) / temperature)
        total += q[i]
    for i in range(n):
        tree.prior[tree.first[node] + i] = q[i] / total


@kernel
def set_values(tree: Tree, node: int, n: int, q: Floats, sign: float) -> float:
    """Count q, values for the side that acts, as one visit of each child; returns the best, in points of side 0."""
    best = q[0]
    for i in range(n):
        child = tree.first[node] + i
        tree.visits[child] = 1
        tree.total[child] = sign * q[i]
        best = max(best, q[i])
    return sign * best


@kernel
def simulate(tree: Tree, root: Any, leaf: Any, prior: Any, temperature: float, c: float, rng: Stream, out: Ints,
             q: Floats, minimax: bool) -> float:
    """One simulation: down the tree, one new node evaluated, its value backed up; PUCT when `temperature` > 0."""
    state = root
    node, depth = 0, 0
    tree.path[0] = 0
    value, found = 0.0, False
    while not over(state):
        sign = 1.0 if side(state) == 0 else -1.0
        tree.signs[depth] = sign
        if tree.first[node] < 0:
            if tree.visits[node] == 0 and node > 0 and not looks_ahead(leaf):
                break                                   # new: evaluate before it is ever expanded
            n = legal(state, out)
            if not expand(tree, node, out, n):
                break
            if temperature > 0.0:
                set_priors(tree, node, prior, state, out, n, temperature, q)
            if n > 1 and looks_ahead(leaf):
                child_values(leaf, state, out, n, q)
                value, found = set_values(tree, node, n, q, sign), True
                break
        if temperature > 0.0:
            node = select_puct(tree, node, sign, c)
        else:
            node = select_ucb(tree, node, sign, c, rng)
        state = step(state, tree.action[node])
        depth += 1
        tree.path[depth] = node
    if not found:
        value = points(state) if over(state) else evaluate(leaf, state, rng, out)
    if minimax:
        back_up_best(tree, depth, value)
    else:
        back_up(tree, depth, value)
    return value


@kernel
def back_up(tree: Tree, depth: int, value: float) -> None:
    """Count `value` for every node on the path."""
    for i in range(depth + 1):
        tree.visits[tree.path[i]] += 1
        tree.total[tree.path[i]] += value


@kernel
def back_up_best(tree: Tree, depth: int, value: float) -> None:
    """Give the last node of the path `value`, and every node before it the value of its best child."""
    node = tree.path[depth]
    tree.visits[node] += 1
    tree.total[node] = value * tree.visits[node]
    for i in range(depth - 1, -1, -1):
        node = tree.path[i]
        best = -1e300
        child = tree.first[node]
        while child >= 0:
            if tree.visits[child]:
                best = max(best, tree.signs[i] * tree.total[child] / tree.visits[child])
            child = tree.sibling[child]
        tree.visits[node] += 1
        tree.total[node] = tree.signs[i] * best * tree.visits[node]


@kernel
def search(tree: Tree, root: Any, leaf: Any, prior: Any, temperature: float, c: float, simulations: int, rng: Stream,
           out: Ints, q: Floats, minimax: bool = False) -> float:
    """Run `simulations` from `root` on top of what the tree holds; returns the root's value for side 0.

    `out` [most moves] and `q` [most moves] are scratch. Call `clear` first for a fresh search.
    """
    for _ in range(simulations):
        simulate(tree, root, leaf, prior, temperature, c, rng, out, q, minimax)
    return tree.total[0] / max(1, tree.visits[0])


@kernel
def best_value(tree: Tree, sign: float) -> float:
    """The value for side 0 of the root's most visited child: what best play gets, without the cost of exploring."""
    child = tree.first[0]
    if child < 0:
        return tree.total[0] / max(1, tree.visits[0])
    best, most = -1, -1
    while child >= 0:
        n = tree.visits[child]
        if n > most or (n == most and sign * tree.total[child] > sign * tree.total[best]):
            best, most = child, n
        child = tree.sibling[child]
    return tree.total[best] / max(1, tree.visits[best])


@kernel
def advance(tree: Tree, action: int, scratch: Tree) -> bool:
    """Make the child by `action` the new root and keep what is below it; False (and an empty tree) when unknown.

    `scratch` is a tree of the same size; breadth first, so siblings stay together.
    """
    child = tree.first[0]
    while child >= 0 and tree.action[child] != action:
        child = tree.sibling[child]
    if child < 0:
        clear(tree)
        return False
    clear(scratch)
    scratch.visits[0] = tree.visits[child]
    scratch.total[0] = tree.total[child]
    scratch.action[0] = child                           # while copying, the old number of every new node
    node = 0
    while node < scratch.used[0]:
        old = tree.first[scratch.action[node]]
        scratch.first[node] = scratch.used[0] if old >= 0 else -1
        while old >= 0:
            new = scratch.used[0]
            scratch.used[0] += 1
            scratch.action[new] = old
            scratch.visits[new] = tree.visits[old]
            scratch.total[new] = tree.total[old]
            scratch.prior[new] = tree.prior[old]
            scratch.sibling[new] = new + 1 if tree.sibling[old] >= 0 else -1
            old = tree.sibling[old]
        node += 1
    for node in range(scratch.used[0]):
        scratch.action[node] = tree.action[scratch.action[node]]
    n = scratch.used[0]
    tree.action[:n] = scratch.action[:n]
    tree.first[:n] = scratch.first[:n]
    tree.sibling[:n] = scratch.sibling[:n]
    tree.visits[:n] = scratch.visits[:n]
    tree.total[:n] = scratch.total[:n]
    tree.prior[:n] = scratch.prior[:n]
    tree.used[0] = n
    return True


@kernel
def principal_line(tree: Tree, line: Ints) -> int:
    """Write the most visited actions from the root down; returns how many."""
    node, n = 0, 0
    while tree.first[node] >= 0 and n < line.size:
        child = tree.first[node]
        best = child
        while child >= 0:
            if tree.visits[child] > tree.visits[best]:
                best = child
            child = tree.sibling[child]
        if tree.visits[best] == 0:
            break
        line[n] = tree.action[best]
        n += 1
        node = best
    return n
