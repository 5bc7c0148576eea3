"""The uniform policy, and leaves that are played out by a policy: the same for every game."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

from inference._game_kernels import Uniform, choose, evaluate, legal, over, points, register_policy, step
from inference._rng_kernels import below
from inference.kernel import kernel


class Rollout(NamedTuple):
    """A leaf valued by playing on with `policy` to the end."""

    policy: Any


class Ahead(NamedTuple):
    """A leaf valued by playing `depth` actions on with `policy`, and asking `leaf` then; or on the way, too."""

    policy: Any
    leaf: Any
    depth: int
    fade: float = 0.0     # above 0: `leaf` is asked before every action and at the end, each time counting `fade` times as
                          # much as the time before: its errors along a line are not all the same, and so average out


class Mean(NamedTuple):
    """A leaf worth the mean of two, neither of them a Mean or with one inside: Numba compiles no kernel into itself."""

    one: Any
    other: Any


@kernel
def uniform_choice(policy: Any, state: Any, rng: Any, out: Any) -> int:
    """Any legal action, all alike."""
    n = legal(state, out)
    return out[below(rng, n)] if n > 1 else out[0]


@kernel
def flat_values(policy: Any, state: Any, actions: Any, n: int, q: Any) -> None:
    """All actions worth the same."""
    q[:n] = 0.0


@kernel
def playout(policy: Any, state: Any, rng: Any, out: Any) -> Any:
    """Play on to the end, every seat by `policy`; returns the last state."""
    while not over(state):
        state = step(state, choose(policy, state, rng, out))
    return state


@kernel
def rollout_value(leaf: Any, state: Any, rng: Any, out: Any) -> float:
    """The points of one playout by the leaf's policy."""
    return points(playout(leaf.policy, state, rng, out))


@kernel
def ahead_value(ahead: Any, state: Any, rng: Any, out: Any) -> float:
    """What the leaf says along `depth` actions by the policy; the points count for the rest where the game ends before."""
    total, weight, share = 0.0, 0.0, 1.0
    for left in range(ahead.depth, -1, -1):
        if over(state):
            rest = 0.0
            for _ in range(left + 1):
                rest += share
                share *= ahead.fade
            return (total + rest * points(state)) / (weight + rest)
        if ahead.fade > 0.0 or left == 0:
            total += share * evaluate(ahead.leaf, state, rng, out)
            weight += share
            share *= ahead.fade
        if left:
            state = step(state, choose(ahead.policy, state, rng, out))
    return total / weight


@kernel
def mean_value(mean: Any, state: Any, rng: Any, out: Any) -> float:
    """Half of what each leaf says."""
    return 0.5 * (evaluate(mean.one, state, rng, out) + evaluate(mean.other, state, rng, out))


register_policy(Uniform, SimpleNamespace(choose=uniform_choice, values=flat_values))
register_policy(Rollout, SimpleNamespace(evaluate=rollout_value))
register_policy(Ahead, SimpleNamespace(evaluate=ahead_value))
register_policy(Mean, SimpleNamespace(evaluate=mean_value))
