"""Nets as leaves and policies of Gongzhu: what a position is worth, and what every legal card leads to.

A net gives the points still to come for the side of the trick's leader, in hundreds. All cards of a seat are valued
from one accumulator, each by the few features it changes; the last card of a trick begins a new one.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inference._bits_kernels import count, lowest
from inference._game_kernels import register_policy
from inference._rng_kernels import Stream, below
from inference.kernel import kernel
from searchdou.games.gongzhu._encode_kernels import encode_averaged, encode_open, in_play, played_ids
from searchdou.games.gongzhu._kernels import Position, difference, is_over, legal, legal_mask, nth, step
from searchdou.nets._net_kernels import HERE, NEXT, Net, best_of, follow, forward, refresh

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

POINTS = 100.0              # one unit of a net's output


class Oracle(NamedTuple):
    """Sees all hands: for the leaves of an open-card search."""

    net: Net


class Judges(NamedTuple):
    """Two nets that see all hands, asked together: each counts half. They share the scratch of their features."""

    one: Oracle
    other: Oracle


class Blueprint(NamedTuple):
    """Sees what the seat to play sees; `noise` of the time any legal card."""

    net: Net
    shares: Floats          # [4, 3] scratch
    q: Floats               # [13] scratch
    noise: float = 0.0


class Seer(NamedTuple):
    """Plays the card the oracle likes best, as if it were shown all hands: for lines of open-card play."""

    oracle: Oracle
    q: Floats               # [13] scratch


@kernel
def _to_points(position: Position, to_come: float) -> float:
    """Points of side 0 in all, from what the net says the leader's side still gets."""
    sign = 1.0 if position.leader & 1 == 0 else -1.0
    return float(difference(position)) + sign * POINTS * to_come


@kernel
def oracle_value(leaf: Oracle, position: Position, rng: Stream, out: Ints) -> float:
    """What an open position is worth to side 0."""
    net = leaf.net
    refresh(net, encode_open(position, net.ids, net.on), NEXT)
    return _to_points(position, forward(net, NEXT))


@kernel
def judged_value(leaf: Judges, position: Position, rng: Stream, out: Ints) -> float:
    """What an open position is worth to side 0, the mean of two nets; its features are written once."""
    one, other = leaf.one.net, leaf.other.net
    n = encode_open(position, one.ids, one.on)
    refresh(one, n, NEXT)
    refresh(other, n, NEXT)
    return _to_points(position, 0.5 * (forward(one, NEXT) + forward(other, NEXT)))


@kernel
def oracle_values(leaf: Oracle, position: Position, actions: Ints, n: int, q: Floats) -> None:
    """What the n cards in `actions` lead to, for the side that plays, all hands open."""
    net = leaf.net
    sign = 1.0 if position.turn & 1 == 0 else -1.0
    if position.plays & 3 == 3:
        for i in range(n):
            after = step(position, actions[i])
            if is_over(after):
                q[i] = sign * difference(after)
            else:
                refresh(net, encode_open(after, net.ids, net.on), NEXT)
                q[i] = sign * _to_points(after, forward(net, NEXT))
        return
    refresh(net, encode_open(position, net.ids, net.on), HERE)
    _values_within(net, position, actions, n, sign, q)


@kernel
def _values_within(net: Net, position: Position, actions: Ints, n: int, sign: float, q: Floats) -> None:
    """Values of cards that do not end the trick, from the position's accumulator at HERE."""
    play = in_play(position)
    for i in range(n):
        changed = played_ids(position, actions[i], play, net.ids, net.on)
        follow(net, changed)
        q[i] = sign * _to_points(position, forward(net, NEXT))


@kernel
def blueprint_values(policy: Blueprint, position: Position, actions: Ints, n: int, q: Floats) -> None:
    """What the n cards in `actions` lead to, for the side that plays, as the seat to play sees it."""
    net = policy.net
    seat = position.turn
    sign = 1.0 if seat & 1 == 0 else -1.0
    if position.plays & 3 == 3:
        for i in range(n):
            after = step(position, actions[i])
            if is_over(after):
                q[i] = sign * difference(after)
            else:
                refresh(net, encode_averaged(after, seat, policy.shares, net.ids, net.on), NEXT)
                q[i] = sign * _to_points(after, forward(net, NEXT))
        return
    refresh(net, encode_averaged(position, seat, policy.shares, net.ids, net.on), HERE)
    _values_within(net, position, actions, n, sign, q)


@kernel
def blueprint_choice(policy: Blueprint, position: Position, rng: Stream, out: Ints) -> int:
    """The card of the highest value; with probability `noise` any legal card."""
    mask = legal_mask(position)
    n = count(mask)
    if n == 1:
        return lowest(mask)
    if policy.noise > 0.0 and below(rng, 1024) < policy.noise * 1024:
        return nth(mask, below(rng, n))
    n = legal(position, out)
    blueprint_values(policy, position, out, n, policy.q)
    return out[best_of(policy.q, n)]


@kernel
def seer_choice(policy: Seer, position: Position, rng: Stream, out: Ints) -> int:
    """The card of the highest value, all hands open."""
    n = legal(position, out)
    if n == 1:
        return out[0]
    oracle_values(policy.oracle, position, out, n, policy.q)
    return out[best_of(policy.q, n)]


register_policy(Judges, SimpleNamespace(evaluate=judged_value))
register_policy(Seer, SimpleNamespace(choose=seer_choice))
register_policy(Oracle, SimpleNamespace(evaluate=oracle_value, values=oracle_values, children=oracle_values))
register_policy(Blueprint, SimpleNamespace(choose=blueprint_choice, values=blueprint_values))
