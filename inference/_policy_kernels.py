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
    """A leaf valued by playing `depth` actions on with `policy`, and asking `leaf` then."""

    policy: Any
    leaf: Any
    depth: int


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
    """What the leaf says after `depth` actions by the policy; the points where the game is over before."""
    for _ in range(ahead.depth):
        if over(state):
            return points(state)
        state = step(state, choose(ahead.policy, state, rng, out))
    return points(state) if over(state) else evaluate(ahead.leaf, state, rng, out)


register_policy(Uniform, SimpleNamespace(choose=uniform_choice, values=flat_values))
register_policy(Rollout, SimpleNamespace(evaluate=rollout_value))
register_policy(Ahead, SimpleNamespace(evaluate=ahead_value))
