"""Nets as leaves and policies of DouDizhu: what every legal action leads to, by the seat that acts.

There is one net a role: landlord, the peasant after it (down), the peasant before it (up), and one for bids. Each has three
heads, AlphaDou's factors: u (twice the chance to win less one), the stake won when winning, the stake lost when losing.
In card play a stake is one as it stands before the action; in bidding it is four points. A move that empties the hand is
not asked about: what it wins is known.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inference._game_kernels import register_policy
from inference._math_kernels import log
from inference._policy_kernels import playout
from inference._rng_kernels import Stream, below, uniform
from inference._weigh_kernels import CARELESS
from inference.kernel import kernel
from searchdou.games.doudizhu._encode_kernels import changed_by, encode_before, seat_after
from searchdou.games.doudizhu._habit_kernels import eager_odds
from searchdou.games.doudizhu._kernels import (
    BOMBS_DOUBLE,
    CARDS,
    JOKERS,
    ONES,
    SUITED,
    Position,
    doublings,
    hand_of,
    legal,
    payoff,
    start,
    step,
)
from searchdou.games.doudizhu._kernels import SPRING_DOUBLES as SPRINGS
from searchdou.games.doudizhu._search_kernels import scale, with_hands
from searchdou.nets._net_kernels import HERE, NEXT, OUT, Net, best_of, follow, forward, refresh

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LANDLORD, DOWN, UP, BID = 0, 1, 2, 3         # roles, by their nets
BID_UNIT = 4.0                               # points a stake has in bidding
CARELESS_TEMPER = 0.8                        # stakes: how freely careless players choose in playouts


class Nets(NamedTuple):
    """The nets of one view by role."""

    landlord: Net
    down: Net
    up: Net
    bid: Net                # open cards make no bids: there it is any net


class Blueprint(NamedTuple):
    """Sees what the seat to act sees; `noise` of the time any legal action."""

    nets: Nets
    wins: Floats            # scratch: u by action
    stakes: Floats          # scratch: stakes by action
    mix: float = 0.5        # how much u counts beside stakes when actions are compared
    noise: float = 0.0


class Oracle(NamedTuple):
    """Sees all hands: for the leaves of an open-card search."""

    nets: Nets
    wins: Floats
    stakes: Floats
    mix: float = 0.0


@kernel
def role_of(position: Position) -> int:
    """The role of the seat to act."""
    if position.landlord < 0:
        return BID
    return (position.turn - position.landlord + 3) % 3


@kernel
def net_of(nets: Nets, role: int) -> Net:
    """The net of a role."""
    if role == LANDLORD:
        return nets.landlord
    if role == DOWN:
        return nets.down
    if role == UP:
        return nets.up
    return nets.bid


@kernel
def stake_won(position: Position, action: int) -> float:
    """What a move that empties the hand wins, in stakes as they stand before it."""
    if not position.rules & BOMBS_DOUBLE:
        return 1.0
    after = step(position, action)
    return float(1 << (doublings(after, position.rules & SPRINGS != 0) - position.bombs))


@kernel
def rate(nets: Nets, shown: bool, position: Position, actions: Ints, n: int, wins: Floats, stakes: Floats) -> None:
    """For the n actions: u and the expected stakes of the seat to act, as it sees the game, or with all hands shown."""
    net = net_of(nets, role_of(position))
    refresh(net, encode_before(position, shown, net.ids, net.on), HERE)
    hand = hand_of(position, position.turn)
    for i in range(n):
        if position.landlord >= 0 and actions[i] & CARDS == hand:
            wins[i] = 1.0
            stakes[i] = stake_won(position, actions[i])
            continue
        follow(net, changed_by(position, actions[i], net.ids, net.on))
        forward(net, NEXT)
        u = min(1.0, max(-1.0, float(net.work[OUT])))
        wins[i] = u
        stakes[i] = 0.5 * ((1.0 + u) * net.work[OUT + 1] + (1.0 - u) * net.work[OUT + 2])


@kernel
def compare(position: Position, mix: float, n: int, wins: Floats, stakes: Floats, q: Floats) -> None:
    """One value an action, in points: stakes, and u as if a win were a stake."""
    if position.landlord < 0:
        for i in range(n):
            q[i] = BID_UNIT * stakes[i]
        return
    unit = float(scale(position))
    for i in range(n):
        q[i] = unit * ((1.0 - mix) * stakes[i] + mix * wins[i])


@kernel
def blueprint_values(policy: Blueprint, position: Position, actions: Ints, n: int, q: Floats) -> None:
    """What the n actions are worth to the seat that acts, as it sees the game."""
    rate(policy.nets, False, position, actions, n, policy.wins, policy.stakes)
    compare(position, policy.mix, n, policy.wins, policy.stakes, q)


@kernel
def oracle_values(leaf: Oracle, position: Position, actions: Ints, n: int, q: Floats) -> None:
    """What the n actions lead to for the side that acts, all hands open."""
    rate(leaf.nets, True, position, actions, n, leaf.wins, leaf.stakes)
    compare(position, leaf.mix, n, leaf.wins, leaf.stakes, q)


@kernel
def rate_best(policy: Blueprint, position: Position, out: Ints) -> int:
    """Rate all legal actions into policy.wins and policy.stakes; returns which of them it would choose."""
    n = legal(position, out)
    rate(policy.nets, False, position, out, n, policy.wins, policy.stakes)
    best, top = 0, -1e300
    for i in range(n):
        value = (1.0 - policy.mix) * policy.stakes[i] + policy.mix * policy.wins[i]
        if value > top:
            best, top = i, value
    return best


@kernel
def oracle_value(leaf: Oracle, position: Position, rng: Stream, out: Ints) -> float:
    """What an open position is worth to side 0: the best action's value."""
    n = legal(position, out)
    oracle_values(leaf, position, out, n, leaf.stakes)
    best = float(leaf.stakes[best_of(leaf.stakes, n)])
    return best if position.turn == position.landlord else -best


@kernel
def blueprint_choice(policy: Blueprint, position: Position, rng: Stream, out: Ints) -> int:
    """The action of the highest value; with probability `noise` any legal one."""
    n = legal(position, out)
    chosen = 0
    if n > 1 and policy.noise > 0.0 and below(rng, 1024) < policy.noise * 1024:
        chosen = below(rng, n)
    elif n > 1:
        blueprint_values(policy, position, out, n, policy.stakes)
        chosen = best_of(policy.stakes, n)
    return int(out[chosen])


# --- choosing as AlphaDou does, and pricing bids ------------------------------------------------------------------------

@kernel
def stake_may_change(position: Position) -> bool:
    """Whether bombs or spring may still double the stake, as far as the seat to act can know."""
    own = hand_of(position, position.turn)
    unseen = hand_of(position, seat_after(position.turn)) + hand_of(position, seat_after(seat_after(position.turn)))
    if position.rules & BOMBS_DOUBLE:
        for cards in (own, unseen):
            if (cards & SUITED) >> 2 & ONES or cards & JOKERS == JOKERS:
                return True
    return position.rules & SPRINGS != 0 and (position.peasant_plays == 0 or position.landlord_plays <= 1)


@kernel
def best_by_rule(n: int, wins: Floats, stakes: Floats, rho: float) -> int:
    """Of the actions whose expected stakes are within `rho` of the best, relatively, the one most likely to win."""
    top = best_of(stakes, n)
    best = top
    for i in range(n):
        if stakes[top] - stakes[i] <= rho * abs(stakes[top]) and wins[i] > wins[best]:
            best = i
    return best


@kernel
def landlord_value(policy: Blueprint, position: Position, out: Ints) -> float:
    """What the landlord expects before its first move, in points: of its hand alone, whoever holds the rest."""
    return float(policy.stakes[rate_best(policy, position, out)] * scale(position))


@kernel
def price_bids(policy: Blueprint, view: Position, hands: Ints, bids: Ints, rng: Stream, out: Ints, prices: Floats) -> None:
    """What every bid of the seat to act brings it on the deals `hands`, [deals, bids] points: the others bid by the net.

    As landlord it is what its net expects, which knows the whole hand then. Another landlord does not know what the bidder
    holds and expects too much against a strong hand: there the deal is played out.
    """
    seat = view.turn
    for row in range(hands.shape[0]):
        for i in range(bids.size):
            position = step(with_hands(view, hands[row]), bids[i])
            while position.landlord < 0 and position.winner < 0:
                position = step(position, blueprint_choice(policy, position, rng, out))
            if position.winner >= 0:
                prices[row, i] = 0.0
            elif position.landlord == seat:
                prices[row, i] = landlord_value(policy, position, out)
            else:
                prices[row, i] = -0.5 * payoff(playout(policy, position, rng, out))


@kernel
def worth_as_landlord(policy: Blueprint, position: Position, out: Ints) -> float:
    """What the seat to bid could expect as landlord at the stake of one with the kitty that lies there, in points."""
    p = position
    hand0 = p.hand0 + p.kitty if p.turn == 0 else p.hand0
    hand1 = p.hand1 + p.kitty if p.turn == 1 else p.hand1
    hand2 = p.hand2 + p.kitty if p.turn == 2 else p.hand2
    return landlord_value(policy, start(hand0, hand1, hand2, p.kitty, p.rules, p.turn, p.turn), out)


@kernel
def price_hands(policy: Blueprint, view: Position, hands: Ints, out: Ints, prices: Floats) -> None:
    """`worth_as_landlord` on each of the deals `hands`."""
    for row in range(hands.shape[0]):
        prices[row] = worth_as_landlord(policy, with_hands(view, hands[row]), out)


# --- a player of habits ---------------------------------------------------------------------------------------------------

@kernel
def blueprint_habit(policy: Blueprint, position: Position, actions: Ints, n: int, odds: Floats) -> None:
    """How likely a player of habits is to take each of the n legal actions."""
    eager_odds(position, actions, n, odds)


@kernel
def habit_choice(policy: Blueprint, position: Position, rng: Stream, out: Ints) -> int:
    """What a player of habits does: an action drawn by `eager_odds`; lapses would only be noise in a playout."""
    n = legal(position, out)
    if n == 1:
        return int(out[0])
    eager_odds(position, out, n, policy.stakes)
    total = 0.0
    for i in range(n):
        total += policy.stakes[i]
    left = uniform(rng) * total
    for i in range(n):
        left -= policy.stakes[i]
        if left < 0.0:
            return int(out[i])
    return int(out[n - 1])


# --- rollouts -----------------------------------------------------------------------------------------------------------

class Finish(NamedTuple):
    """A leaf that is played out by `policy`, each seat from what it sees; a win counts beside the points it brings."""

    policy: Blueprint
    root: Floats            # [3] the stake as it stood at the root, in points; 1 where the landlord acts there, else 0;
                            # and, told for every deal, which seats play by habit or carelessly, bits of `draw_simple`
    mix: float = 0.5        # how much winning counts as such
    depth: int = 0          # above 0: after so many actions the seat to act says what it expects
    temper: float = 0.0     # the peasants' moves are drawn by e^(value / temper), in stakes, when the landlord acts at the
                            # root: they may think otherwise


@kernel
def tempered_choice(policy: Blueprint, temper: float, position: Position, rng: Stream, out: Ints) -> int:
    """An action drawn by e^(value / temper), values in stakes: the highest of the values with Gumbel noise."""
    n = legal(position, out)
    if n == 1:
        return int(out[0])
    rate(policy.nets, False, position, out, n, policy.wins, policy.stakes)
    best, top = 0, -1e300
    for i in range(n):
        value = (1.0 - policy.mix) * policy.stakes[i] + policy.mix * policy.wins[i]
        value -= temper * log(-log(uniform(rng) + 1e-300) + 1e-300)
        if value > top:
            best, top = i, value
    return int(out[best])


@kernel
def finish_value(leaf: Finish, position: Position, rng: Stream, out: Ints) -> float:
    """The landlord's points of one playout, mixed with one stake for the win alone."""
    played, simple = 0, int(leaf.root[2])
    while position.winner < 0:
        if played == leaf.depth and played > 0:
            return expected_value(leaf, position, out)
        if simple >> position.turn & 1:
            position = step(position, habit_choice(leaf.policy, position, rng, out))
        elif simple >> (position.turn + CARELESS) & 1:
            position = step(position, tempered_choice(leaf.policy, CARELESS_TEMPER, position, rng, out))
        elif leaf.temper > 0.0 and leaf.root[1] > 0.5 and position.turn != position.landlord:
            position = step(position, tempered_choice(leaf.policy, leaf.temper, position, rng, out))
        else:
            position = step(position, blueprint_choice(leaf.policy, position, rng, out))
        played += 1
    won = leaf.root[0] if position.winner == position.landlord else -leaf.root[0]
    return float((1.0 - leaf.mix) * payoff(position) + leaf.mix * won)


@kernel
def expected_value(leaf: Finish, position: Position, out: Ints) -> float:
    """What `finish_value` is expected to be by the seat to act, from what it sees."""
    policy = leaf.policy
    best = rate_best(policy, position, out)
    value = (1.0 - leaf.mix) * scale(position) * policy.stakes[best] + leaf.mix * leaf.root[0] * policy.wins[best]
    return float(value if position.turn == position.landlord else -value)


@kernel
def told(leaf: Finish, simple: int) -> None:
    """Who plays by habit or carelessly from now on."""
    leaf.root[2] = simple


register_policy(Finish, SimpleNamespace(evaluate=finish_value, told=told))
register_policy(Oracle, SimpleNamespace(evaluate=oracle_value, values=oracle_values, children=oracle_values))
register_policy(Blueprint, SimpleNamespace(choose=blueprint_choice, values=blueprint_values, habit=blueprint_habit))
