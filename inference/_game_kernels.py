"""What compiled search asks of a game: a few stubs that every game fills for its own state type.

Numba specialises on types, so a generic kernel that calls these compiles once a game and is cached. A game
calls `register` for its state type (a NamedTuple of scalars, by value) and `register_policy` for every policy type
(a NamedTuple of settings and scratch arrays). With the JIT off the stubs look the same functions up in Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from numba import types
from numba.extending import overload


class Rules(Protocol):
    """A module or object with the compiled rules of a game."""

    legal: Any        # (state, out) -> n: writes the legal actions, int64; 0 when the game is over
    step: Any         # (state, action) -> state
    turn: Any         # (state) -> seat to act
    side: Any         # (state) -> 0 or 1: the side of the seat to act
    over: Any         # (state) -> bool
    points: Any       # (state) -> float: what side 0 has won of side 1, at the end
    cards_left: Any   # (state) -> how many cards are still to be played
    with_hands: Any   # (state, hands) -> the state with every seat's packed hand replaced
    # and for the exact solver:
    moves: Any        # (state, out) -> n: like legal, best first, one of several that are worth the same
    key: Any          # (state) -> two int64 that name what the points still to come depend on
    settled: Any      # (state) -> int: the part of the final points that is won
    scale: Any        # (state) -> int: what one unit of points still to come is worth
    # and, if the game has it:
    reach: Any        # (state) -> int: no side can win more units than this from here on


_rules: dict[Any, Any] = {}
_policies: dict[Any, Any] = {}


def register(state_type: type, rules: Any) -> None:
    """Teach every generic kernel the game whose states are `state_type`."""
    _rules[state_type] = rules


def register_policy(policy_type: type, policy: Any) -> None:
    """Teach them a policy: `choose(policy, state, rng, out)`, and for weighing `values(policy, state, actions, n, q)`."""
    _policies[policy_type] = policy


def _class(t: Any) -> Any:
    return t.instance_class if isinstance(t, types.BaseNamedTuple) else None


def legal(state: Any, out: Any) -> Any:
    """Write the legal actions into `out`; returns how many."""
    return _rules[type(state)].legal(state, out)


def step(state: Any, action: Any) -> Any:
    """The state after a legal action."""
    return _rules[type(state)].step(state, action)


def turn(state: Any) -> Any:
    """The seat to act."""
    return _rules[type(state)].turn(state)


def side(state: Any) -> Any:
    """The side, 0 or 1, of the seat to act."""
    return _rules[type(state)].side(state)


def over(state: Any) -> Any:
    """Whether the game has ended."""
    return _rules[type(state)].over(state)


def points(state: Any) -> Any:
    """What side 0 has won of side 1, at the end."""
    return _rules[type(state)].points(state)


def cards_left(state: Any) -> Any:
    """How many cards are still to be played: what decides when an ending is solved."""
    return _rules[type(state)].cards_left(state)


def with_hands(state: Any, hands: Any) -> Any:
    """`state` with every seat's hand replaced, hands [seats] packed: a seat's view becomes a world."""
    return _rules[type(state)].with_hands(state, hands)


def choose(policy: Any, state: Any, rng: Any, out: Any) -> Any:
    """The action a policy takes; `out` is scratch for legal actions."""
    return _policies[type(policy)].choose(policy, state, rng, out)


def action_values(policy: Any, state: Any, actions: Any, n: Any, q: Any) -> Any:
    """Write what a policy thinks the n actions are worth to the seat to act into `q`, in points."""
    return _policies[type(policy)].values(policy, state, actions, n, q)


def has_habits(policy: Any) -> bool:
    """Whether a policy also knows how a simple player of its game moves, one of habits (it has `habit`)."""
    return hasattr(_policies[type(policy)], "habit")


def habit_odds(policy: Any, state: Any, actions: Any, n: Any, odds: Any) -> None:
    """How likely a player of habits is to take each of the n legal actions, into `odds`, in any unit; else nothing."""
    if has_habits(policy):
        _policies[type(policy)].habit(policy, state, actions, n, odds)


def tell(leaf: Any, simple: Any) -> bool:
    """Let a leaf know which seats play simply on the deal to come, as `draw_simple` has it; whether it listens (it has
    `told`)."""
    listens = hasattr(_policies[type(leaf)], "told")
    if listens:
        _policies[type(leaf)].told(leaf, simple)
    return listens


def evaluate(leaf: Any, state: Any, rng: Any, out: Any) -> Any:
    """What a leaf of the search is worth to side 0, in points."""
    return _policies[type(leaf)].evaluate(leaf, state, rng, out)


def moves(state: Any, out: Any) -> Any:
    """Like `legal`, for the exact solver: best first, and only one of several that are worth the same."""
    return _rules[type(state)].moves(state, out)


def key(state: Any) -> Any:
    """Two int64 that name what the points still to come depend on; (0, 0) when it is not worth keeping."""
    return _rules[type(state)].key(state)


def settled(state: Any) -> Any:
    """The part of the final points (an int) that the solver counts as won; points still to come are relative to it."""
    return _rules[type(state)].settled(state)


def scale(state: Any) -> Any:
    """What one unit of points still to come is worth now: the stake in games that double it, else 1."""
    return _rules[type(state)].scale(state)


UNKNOWN_REACH = 1 << 39


def reach(state: Any) -> Any:
    """A bound on the points still to come, in units of `scale`, for either side; huge where a game does not say."""
    rules = _rules[type(state)]
    return rules.reach(state) if hasattr(rules, "reach") else UNKNOWN_REACH


@overload(reach)
def _reach(state: Any) -> Any:
    rules = _rules.get(_class(state))
    if rules is None:
        return None
    if not hasattr(rules, "reach"):
        def unknown(state: Any) -> Any:
            return UNKNOWN_REACH
        return unknown
    impl = rules.reach

    def run(state: Any) -> Any:
        return impl(state)
    return run


@overload(legal)
def _legal(state: Any, out: Any) -> Any:
    rules = _rules.get(_class(state))
    if rules is None:
        return None
    impl = rules.legal

    def run(state: Any, out: Any) -> Any:
        return impl(state, out)
    return run


@overload(moves)
def _moves(state: Any, out: Any) -> Any:
    rules = _rules.get(_class(state))
    if rules is None:
        return None
    impl = rules.moves

    def run(state: Any, out: Any) -> Any:
        return impl(state, out)
    return run


@overload(with_hands)
def _with_hands(state: Any, hands: Any) -> Any:
    rules = _rules.get(_class(state))
    if rules is None:
        return None
    impl = rules.with_hands

    def run(state: Any, hands: Any) -> Any:
        return impl(state, hands)
    return run


@overload(step)
def _step(state: Any, action: Any) -> Any:
    rules = _rules.get(_class(state))
    if rules is None:
        return None
    impl = rules.step

    def run(state: Any, action: Any) -> Any:
        return impl(state, action)
    return run


def _of_state(stub: Any, name: str) -> None:
    @overload(stub)
    def _(state: Any) -> Any:
        rules = _rules.get(_class(state))
        if rules is None:
            return None
        impl = getattr(rules, name)

        def run(state: Any) -> Any:
            return impl(state)
        return run


for _stub in (turn, side, over, points, cards_left, key, settled, scale):
    _of_state(_stub, _stub.__name__)


@overload(choose)
def _choose(policy: Any, state: Any, rng: Any, out: Any) -> Any:
    made = _policies.get(_class(policy))
    if made is None:
        return None
    impl = made.choose

    def run(policy: Any, state: Any, rng: Any, out: Any) -> Any:
        return impl(policy, state, rng, out)
    return run


@overload(action_values)
def _action_values(policy: Any, state: Any, actions: Any, n: Any, q: Any) -> Any:
    made = _policies.get(_class(policy))
    if made is None:
        return None
    impl = made.values

    def run(policy: Any, state: Any, actions: Any, n: Any, q: Any) -> Any:
        return impl(policy, state, actions, n, q)
    return run


@overload(has_habits)
def _has_habits(policy: Any) -> Any:
    made = _policies.get(_class(policy))
    if made is None:
        return None
    answer = hasattr(made, "habit")

    def run(policy: Any) -> Any:
        return answer
    return run


@overload(habit_odds)
def _habit_odds(policy: Any, state: Any, actions: Any, n: Any, odds: Any) -> Any:
    made = _policies.get(_class(policy))
    if made is None:
        return None
    if not hasattr(made, "habit"):
        def nothing(policy: Any, state: Any, actions: Any, n: Any, odds: Any) -> Any:
            pass
        return nothing
    impl = made.habit

    def run(policy: Any, state: Any, actions: Any, n: Any, odds: Any) -> Any:
        impl(policy, state, actions, n, odds)
    return run


@overload(tell)
def _tell(leaf: Any, simple: Any) -> Any:
    made = _policies.get(_class(leaf))
    if made is None:
        return None
    if not hasattr(made, "told"):
        def nothing(leaf: Any, simple: Any) -> Any:
            return False
        return nothing
    impl = made.told

    def run(leaf: Any, simple: Any) -> Any:
        impl(leaf, simple)
        return True
    return run


@overload(evaluate)
def _evaluate(leaf: Any, state: Any, rng: Any, out: Any) -> Any:
    made = _policies.get(_class(leaf))
    if made is None:
        return None
    impl = made.evaluate

    def run(leaf: Any, state: Any, rng: Any, out: Any) -> Any:
        return impl(leaf, state, rng, out)
    return run


def looks_ahead(leaf: Any) -> bool:
    """Whether a leaf values all children of a position at once (it has `children`), or only the position itself."""
    return hasattr(_policies[type(leaf)], "children")


def child_values(leaf: Any, state: Any, actions: Any, n: Any, q: Any) -> None:
    """What the first n actions lead to, for the side that acts, into `q`, by a leaf that looks ahead; else nothing."""
    if looks_ahead(leaf):
        _policies[type(leaf)].children(leaf, state, actions, n, q)


@overload(looks_ahead)
def _looks_ahead(leaf: Any) -> Any:
    made = _policies.get(_class(leaf))
    if made is None:
        return None
    answer = hasattr(made, "children")

    def run(leaf: Any) -> Any:
        return answer
    return run


@overload(child_values)
def _child_values(leaf: Any, state: Any, actions: Any, n: Any, q: Any) -> Any:
    made = _policies.get(_class(leaf))
    if made is None:
        return None
    if not hasattr(made, "children"):
        def nothing(leaf: Any, state: Any, actions: Any, n: Any, q: Any) -> Any:
            pass
        return nothing
    impl = made.children

    def run(leaf: Any, state: Any, actions: Any, n: Any, q: Any) -> Any:
        impl(leaf, state, actions, n, q)
    return run


class Uniform(NamedTuple):
    """The policy that takes every legal action alike."""

    unused: int = 0
