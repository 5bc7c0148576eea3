"""Self-play for Gongzhu, compiled: games by the nets themselves, with targets for both.

Two kinds of games, one stream of samples:

    open    all seats play by the oracle, all cards open                    -> samples for the oracle
    honest  every seat plays by the blueprint, from what it sees            -> samples for critic and blueprint; some for all

A sample is a position some choice led to, and what it was worth to side 0. The oracle's target is TD(lambda): later
estimates along the game, mixed; where a player left the best line, what the best line was thought to be worth instead; with
few cards left a game ends in an exact solution. The critic sees all cards too, but learns what comes of them when nobody
else does: its line is what the blueprint would play, to the end. The blueprint's target is the critic's mean over deals
that its seat thinks possible: a search one card deep, learned by heart, and so each is a step better than the other was.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inference._bits_kernels import count, lowest
from inference._rng_kernels import Stream, below, uniform
from inference.kernel import kernel
from mcts._solver_kernels import HUGE, Table, solve
from searchdou.games.gongzhu._encode_kernels import encode_averaged, encode_open
from searchdou.games.gongzhu._kernels import (
    RANKS,
    Position,
    deal,
    difference,
    full_deck,
    hand_of,
    is_over,
    legal,
    legal_mask,
    nth,
    step,
)
from searchdou.games.gongzhu._net_kernels import (
    POINTS,
    Blueprint,
    Oracle,
    blueprint_values,
    oracle_value,
    oracle_values,
)
from searchdou.games.gongzhu._search_kernels import Greedy, greedy_choice, with_hands
from searchdou.nets._net_kernels import best_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]

FIELDS = 16                 # a stored position: the 15 numbers of a Position and who observes, -1 when open
MOST_CHOICES = 52           # in a game
SWAPS = 24                  # of cards between hidden hands, from one deal to the next


class Samples(NamedTuple):
    """Where self-play writes for one net."""

    rows: Ints              # [capacity, FIELDS]
    target: Singles         # [capacity] hundreds of points still to come for the leader's side
    used: Ints              # [1]


class Scheme(NamedTuple):
    """How games are played; the numbers that do not change during a block."""

    honest: float           # share of games played by the blueprint
    decay: float            # the lambda of TD(lambda)
    solve: int              # with this many cards left half of the oracle's games are solved, the others one or two
                            # tricks later: it must know what lies beyond, too, for the leaves of a search
    looks: int              # deals that a target of the blueprint is the mean of
    shown: float            # share of the honest games that the oracle learns from, too
    lived: float            # the critic's lambda


class Trace(NamedTuple):
    """The choices of one game, for one net; values are points of side 0."""

    rows: Ints              # [MOST_CHOICES, FIELDS] the position each choice led to
    value: Floats           # [MOST_CHOICES] what the net thought of it
    best: Floats            # [MOST_CHOICES] what it thought of the best choice there was
    on_line: Ints           # [MOST_CHOICES] whether the choice was that one
    settled: Floats         # [MOST_CHOICES] points of side 0 in the piles


@kernel
def write_row(position: Position, observer: int, row: Ints) -> None:
    """Store a position."""
    p = position
    row[0], row[1], row[2], row[3] = p.hand0, p.hand1, p.hand2, p.hand3
    row[4], row[5], row[6], row[7] = p.pile0, p.pile1, p.pile2, p.pile3
    row[8], row[9], row[10], row[11] = p.trick0, p.trick1, p.trick2, p.leader
    row[12], row[13], row[14], row[15] = p.turn, p.plays, p.voids, observer


@kernel
def read_row(row: Ints) -> Position:
    """The position that was stored."""
    return Position(row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9], row[10], row[11],
                    row[12], row[13], row[14])


@kernel
def write_features(rows: Ints, chosen: Ints, starts: Ints, ids: Ints, on: Singles, shares: Floats) -> None:
    """The features of the chosen rows, one sample after the other, for the learner; starts [chosen + 1]."""
    starts[0] = 0
    for b in range(chosen.size):
        row, at = rows[chosen[b]], starts[b]
        if row[15] < 0:
            n = encode_open(read_row(row), ids[at:], on[at:])
        else:
            n = encode_averaged(read_row(row), row[15], shares, ids[at:], on[at:])
        starts[b + 1] = at + n


class Players(NamedTuple):
    """The nets as they are."""

    oracle: Oracle
    critic: Oracle          # the same features, other weights
    blueprint: Blueprint


class Harvest(NamedTuple):
    """Where a block writes, for each net."""

    oracle: Samples
    critic: Samples
    blueprint: Samples


class Room(NamedTuple):
    """Scratch of one actor."""

    table: Table
    open: Trace             # of the oracle
    lived: Trace            # of the critic
    out: Ints               # moves
    q: Floats               # [16]
    hands: Ints             # [4]


@kernel
def _note(trace: Trace, k: int, after: Position, value: float, best: float, on_line: bool) -> None:
    """Remember a choice: what its net thought of it and of the best there was, for side 0."""
    write_row(after, -1, trace.rows[k])
    trace.value[k] = value
    trace.best[k] = best
    trace.on_line[k] = 1 if on_line else 0
    trace.settled[k] = difference(after)


@kernel
def _store(trace: Trace, choices: int, last: float, decay: float, samples: Samples) -> None:
    """Turn a trace into samples, from its end: `last` is what the final position is worth to side 0."""
    target = last
    for k in range(choices - 1, -1, -1):
        if samples.used[0] < samples.target.size:
            slot = samples.used[0]
            samples.used[0] += 1
            samples.rows[slot] = trace.rows[k]
            sign = 1.0 if trace.rows[k, 11] & 1 == 0 else -1.0
            samples.target[slot] = sign * (target - trace.settled[k]) / POINTS
        # now the target of the position before choice k
        if trace.on_line[k]:
            target = (1.0 - decay) * trace.value[k] + decay * target
        else:
            target = trace.best[k]


@kernel
def _note_open(room: Room, k: int, after: Position, n: int, chosen: int, sign: float) -> None:
    """Remember a choice for the oracle, whose values of the n cards are in room.q, for the side that plays."""
    q = room.q
    top = q[best_of(q, n)]
    _note(room.open, k, after, sign * q[chosen], sign * top, q[chosen] == top)


@kernel
def play_open(oracle: Oracle, start: Position, noise: float, until: int, decay: float, room: Room, rng: Stream,
              samples: Samples) -> None:
    """One game by the oracle with all cards open, solved at the end."""
    position = start
    choices = 0
    out, q = room.out, room.q
    while 52 - position.plays > until:
        mask = legal_mask(position)
        if mask & (mask - 1) == 0:
            position = step(position, lowest(mask))
            continue
        n = legal(position, out)
        oracle_values(oracle, position, out, n, q)
        chosen = below(rng, n) if noise > 0.0 and uniform(rng) < noise else best_of(q, n)
        sign = 1.0 if position.turn & 1 == 0 else -1.0
        position = step(position, out[chosen])
        _note_open(room, choices, position, n, chosen, sign)
        choices += 1
    _store(room.open, choices, _solved(position, room), decay, samples)


@kernel
def _solved(position: Position, room: Room) -> float:
    """What best play with open cards comes to, for side 0."""
    if is_over(position):
        return float(difference(position))
    room.table.nodes[0] = 0
    return float(solve(position, room.table, room.out, -HUGE, HUGE))


@kernel
def swap_hidden(hands: Ints, seat: int, voids: int, rng: Stream) -> None:
    """Swap cards of the hands [4] that `seat` does not see, SWAPS times where known voids allow it (or once less: an even
    number would never reach half of the deals of single cards): another deal it may think of, changed in place. Swaps are
    as likely as their undoing, so in the long run all deals that they reach are equally likely."""
    for _ in range(SWAPS - below(rng, 2)):
        one = (seat + 1 + below(rng, 3)) & 3
        two = (one + 1) & 3
        if two == seat:
            two = (two + 1) & 3
        if hands[one] == 0 or hands[two] == 0:
            continue
        given = nth(hands[one], below(rng, count(hands[one])))
        taken = nth(hands[two], below(rng, count(hands[two])))
        if (voids >> (4 * two + given // RANKS) | voids >> (4 * one + taken // RANKS)) & 1 == 0:
            both = 1 << given | 1 << taken
            hands[one] ^= both
            hands[two] ^= both


@kernel
def _look(critic: Oracle, after: Position, seat: int, looks: int, room: Room, rng: Stream, views: Samples) -> None:
    """A sample for the blueprint: what the critic thinks of `after`, mean over deals as far as `seat` can tell."""
    hands = room.hands
    for other in range(4):
        hands[other] = hand_of(after, other)
    total = 0.0
    for _ in range(looks):
        swap_hidden(hands, seat, after.voids, rng)
        total += oracle_value(critic, with_hands(after, hands), rng, room.out)
    if views.used[0] < views.target.size:
        slot = views.used[0]
        views.used[0] += 1
        write_row(after, seat, views.rows[slot])
        sign = 1.0 if after.leader & 1 == 0 else -1.0
        views.target[slot] = sign * (total / looks - difference(after)) / POINTS


@kernel
def play_honest(players: Players, start: Position, noise: float, until: int, scheme: Scheme, room: Room, rng: Stream,
                harvest: Harvest) -> None:
    """One game by the blueprint, for the critic; where `until` is above 0, what the oracle would think of it is noted
    beside until it can be solved."""
    position = start
    shown, lived = 0, 0
    out, q = room.out, room.q
    blueprint, critic = players.blueprint, players.critic
    while not is_over(position):
        if until > 0 and 52 - position.plays <= until:
            _store(room.open, shown, _solved(position, room), scheme.decay, harvest.oracle)
            until = 0
        mask = legal_mask(position)
        if mask & (mask - 1) == 0:
            position = step(position, lowest(mask))
            continue
        n = legal(position, out)
        seat = position.turn
        blueprint_values(blueprint, position, out, n, blueprint.q)
        best = best_of(blueprint.q, n)
        chosen = below(rng, n) if noise > 0.0 and uniform(rng) < noise else best
        if until > 0:
            oracle_values(players.oracle, position, out, n, q)
        # Half of the looks are at any legal card: to choose well, a net must know the bad ones too.
        _look(critic, step(position, out[chosen if below(rng, 2) else below(rng, n)]), seat, scheme.looks, room, rng,
              harvest.blueprint)
        after = step(position, out[chosen])
        value = oracle_value(critic, after, rng, out)
        expected = value if chosen == best else oracle_value(critic, step(position, out[best]), rng, out)
        _note(room.lived, lived, after, value, expected, chosen == best)
        lived += 1
        if until > 0:
            _note_open(room, shown, after, n, chosen, 1.0 if seat & 1 == 0 else -1.0)
            shown += 1
        position = after
    _store(room.lived, lived, float(difference(position)), scheme.lived, harvest.critic)


@kernel
def play_block(players: Players, games: int, scheme: Scheme, room: Room, rng: Stream, harvest: Harvest) -> None:
    """Play `games` games from random deals; a quarter of them without noise, the others with up to 30%."""
    deck = full_deck()
    for _ in range(games):
        start = deal(deck, below(rng, 4), rng)
        level = below(rng, 4)
        noise = 0.0 if level == 0 else 0.02 if level == 1 else 0.1 if level == 2 else 0.3
        late = below(rng, 4)
        until = scheme.solve - (0 if late < 2 else 4 if late == 2 else 8)
        if uniform(rng) < scheme.honest:
            if uniform(rng) >= scheme.shown:
                until = 0
            play_honest(players, start, noise, until, scheme, room, rng, harvest)
        else:
            play_open(players.oracle, start, noise, until, scheme.decay, room, rng, harvest.oracle)


# --- the exam: exact values to compare a net with --------------------------------------------------------------------

@kernel
def set_exam(plays: int, table: Table, rng: Stream, rows: Ints, cards: Ints, values: Floats) -> None:
    """Fill rows [n, FIELDS] with positions about `plays` cards into games of the greedy policy.

    The seat to play has a choice in all of them.

    cards [n, 13] are the legal ones, -1 beyond, values [n, 13] what each is worth to the side that plays, solved.
    """
    deck = full_deck()
    out = np.empty(512, np.int64)
    player = Greedy(0.1)
    for b in range(rows.shape[0]):
        n = 0
        while n < 2:
            position = deal(deck, below(rng, 4), rng)
            until = plays + below(rng, 4)
            while position.plays < until:
                position = step(position, greedy_choice(player, position, rng, out))
            n = legal(position, out)
        write_row(position, -1, rows[b])
        cards[b, :] = -1
        sign = 1.0 if position.turn & 1 == 0 else -1.0
        for i in range(n):
            cards[b, i] = out[i]
        for i in range(n):
            table.nodes[0] = 0
            values[b, i] = sign * solve(step(position, cards[b, i]), table, out, -HUGE, HUGE)


@kernel
def take_exam(oracle: Oracle, rows: Ints, cards: Ints, values: Floats) -> tuple[float, float, float]:
    """Root mean square error of after-states, mean regret of the card chosen, and the values' own deviation."""
    q = np.empty(16)
    error, regret, seen, total, square = 0.0, 0.0, 0, 0.0, 0.0
    for b in range(rows.shape[0]):
        n = 0
        while n < 13 and cards[b, n] >= 0:
            n += 1
        position = read_row(rows[b])
        oracle_values(oracle, position, cards[b], n, q)
        best = 0
        sign = 1.0 if position.turn & 1 == 0 else -1.0
        for i in range(n):
            error += (q[i] - values[b, i]) ** 2
            to_come = values[b, i] - sign * difference(position)
            total += to_come
            square += to_come ** 2
            if values[b, i] > values[b, best]:
                best = i
        seen += n
        regret += values[b, best] - values[b, best_of(q, n)]
    mean = total / seen
    return np.sqrt(error / seen), regret / rows.shape[0], np.sqrt(square / seen - mean * mean)
