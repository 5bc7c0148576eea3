"""Self-play for DouDizhu, compiled: every seat by its own blueprint, and what each of its choices came to.

Two kinds of games, one stream of samples:

    card play   a random seat of a random deal is the landlord, scored as DouZero does
    full        with bidding, bombs and spring

A sample is a position, the action chosen in it, and the return: whether the seat's side won, and how many stakes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inference._game_kernels import choose
from inference._rng_kernels import Stream, below, uniform
from inference.kernel import kernel
from searchdou.games.doudizhu._encode_kernels import changed_by, encode_before
from searchdou.games.doudizhu._kernels import (
    BOMBS_DOUBLE,
    MAX_MOVES,
    SPRING_DOUBLES,
    Position,
    contains,
    deal,
    doublings,
    full_deck,
    hand_of,
    legal,
    payoff,
    shuffle,
    step,
)
from searchdou.games.doudizhu._net_kernels import BID, BID_UNIT, Blueprint, blueprint_values, role_of, worth_as_landlord
from searchdou.games.doudizhu._search_kernels import scale, with_hands
from searchdou.nets._net_kernels import best_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]

ACTION = 21                 # after the numbers of a Position
FIELDS = ACTION + 1
MOST_CHOICES = 128          # in a game
MOST_STAKES = 16.0          # a return counts no more than this
LOOKS = 4                   # kitties from which a stranger guesses what its hand is worth
WIDEST = 1.2                # points: how far a stranger's middle threshold may lie from AlphaDou's, which is 0


class Samples(NamedTuple):
    """Where self-play writes."""

    rows: Ints              # [capacity, FIELDS]
    role: Ints              # [capacity] who chose
    won: Singles            # [capacity] 1, -1, or 0 for a draw
    stakes: Singles         # [capacity] won or lost
    used: Ints              # [2] samples, and frames: actions of all games, forced ones too


class Scheme(NamedTuple):
    """How games are played; the numbers that do not change during a block."""

    full: float             # share of games with bidding
    noise: float            # share of random actions in card play
    doubt: float            # share of actions drawn among those within `near` stakes of the best
    near: float
    bid_noise: float        # and of random bids
    strangers: float        # share of seats that bid by thresholds of their own instead of by the net
    card_rules: int         # switches of the rule sets
    full_rules: int


@kernel
def write_row(position: Position, action: int, row: Ints) -> None:
    """Store a position and an action."""
    p = position
    row[0], row[1], row[2], row[3] = p.hand0, p.hand1, p.hand2, p.kitty
    row[4], row[5], row[6], row[7] = p.rules, p.turn, p.landlord, p.bid
    row[8], row[9], row[10], row[11] = p.bidder, p.bids, p.to_beat, p.passes
    row[12], row[13], row[14], row[15] = p.bombs, p.landlord_plays, p.peasant_plays, p.winner
    row[16], row[17], row[18], row[19] = p.calls, p.played0, p.played1, p.played2
    row[20], row[ACTION] = p.recent, action


@kernel
def read_row(row: Ints) -> Position:
    """The position that was stored."""
    return Position(row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9], row[10], row[11],
                    row[12], row[13], row[14], row[15], row[16], row[17], row[18], row[19], row[20])


@kernel
def write_features(rows: Ints, chosen: Ints, shown: bool, starts: Ints, ids: Ints, on: Singles) -> None:
    """The features of the chosen rows, one sample after the other, for the learner; starts [chosen + 1]."""
    starts[0] = 0
    for b in range(chosen.size):
        row, at = rows[chosen[b]], starts[b]
        position = read_row(row)
        at += encode_before(position, shown, ids[at:], on[at:])
        starts[b + 1] = at + changed_by(position, row[ACTION], ids[at:], on[at:])


@kernel
def _returns(samples: Samples, first: int, last: Position) -> None:
    """Fill in what the choices since `first` came to, now that the game is over."""
    for k in range(first, samples.used[0]):
        seat, bombs = samples.rows[k, 5], samples.rows[k, 12]
        if last.winner == 3:
            samples.won[k], samples.stakes[k] = 0.0, 0.0
            continue
        won = (last.winner == last.landlord) == (seat == last.landlord)
        if samples.role[k] == BID:
            stakes = abs(payoff(last)) / BID_UNIT * (1.0 if seat == last.landlord else 0.5)
        elif last.rules & BOMBS_DOUBLE:
            stakes = float(1 << (doublings(last, last.rules & SPRING_DOUBLES != 0) - bombs))
        else:
            stakes = 1.0
        samples.won[k] = 1.0 if won else -1.0
        samples.stakes[k] = min(MOST_STAKES, stakes) * samples.won[k]


@kernel
def any_near(q: Floats, n: int, least: float, rng: Stream) -> int:
    """One of the actions worth at least `least`, all alike: random moves alone would hardly ever try the runner-up."""
    near, chosen = 0, 0
    for i in range(n):
        if q[i] >= least:
            near += 1
            if below(rng, near) == 0:
                chosen = i
    return chosen


@kernel
def stranger_bid(policy: Blueprint, position: Position, shift: float, gap: float, rng: Stream, out: Ints) -> int:
    """The bid of a seat that goes by what its hand is worth as landlord, whatever the others did: as much as it passes of
    the thresholds shift - gap, shift, shift + gap. It guesses the worth from a few kitties, so its judgement is rough."""
    deck, left = full_deck(), np.empty(37, np.int64)
    own, n = hand_of(position, position.turn), 0
    for card in deck:
        if contains(own, card):
            own -= card
        else:
            left[n] = card
            n += 1
    turn, worth, hands = position.turn, 0.0, np.empty(4, np.int64)
    hands[turn] = hand_of(position, turn)
    for _ in range(LOOKS):
        shuffle(left, rng)
        hands[(turn + 1) % 3], hands[(turn + 2) % 3], hands[3] = 0, 0, left[0] + left[1] + left[2]
        for i in range(17):
            hands[(turn + 1) % 3] += left[3 + i]
            hands[(turn + 2) % 3] += left[20 + i]
        worth += worth_as_landlord(policy, with_hands(position, hands), out) / LOOKS
    wanted = (worth > shift - gap) + (worth > shift) + (worth > shift + gap)
    return wanted if wanted > position.bid else 0


@kernel
def play_block(policy: Blueprint, games: int, scheme: Scheme, rng: Stream, samples: Samples) -> None:
    """Play `games` games from random deals and write down their choices, forced ones left out."""
    deck = full_deck()
    out = np.empty(MAX_MOVES, np.int64)
    guess = np.empty(MAX_MOVES, np.int64)
    q = np.empty(MAX_MOVES)
    shifts, gaps = np.empty(3), np.empty(3)         # of the strangers' thresholds by seat; no gap: none sits there
    for _ in range(games):
        full = uniform(rng) < scheme.full
        first = below(rng, 3)
        if full:
            position = deal(deck, scheme.full_rules, -1, first, rng)
            for seat in range(3):
                strange = scheme.strangers > 0.0 and uniform(rng) < scheme.strangers
                shifts[seat] = (2.0 * uniform(rng) - 1.0) * WIDEST if strange else 0.0
                gaps[seat] = uniform(rng) * WIDEST / 2.0 if strange else -1.0
        else:
            position = deal(deck, scheme.card_rules, first, first, rng)
        start = samples.used[0]
        while position.winner < 0:
            n = legal(position, out)
            chosen = 0
            if n > 1:
                role = role_of(position)
                luck = uniform(rng)
                if luck < (scheme.bid_noise if role == BID else scheme.noise):
                    chosen = below(rng, n)
                elif role == BID and gaps[position.turn] >= 0.0:
                    bid = stranger_bid(policy, position, shifts[position.turn], gaps[position.turn], rng, guess)
                    for i in range(n):
                        if out[i] == bid:
                            chosen = i
                else:
                    blueprint_values(policy, position, out, n, q)
                    chosen = best_of(q, n)
                    if role != BID and luck < scheme.noise + scheme.doubt:
                        chosen = any_near(q, n, q[chosen] - scheme.near * scale(position), rng)
                slot = samples.used[0]
                if slot < samples.role.size:
                    samples.used[0] += 1
                    write_row(position, out[chosen], samples.rows[slot])
                    samples.role[slot] = role
            samples.used[1] += 1
            position = step(position, out[chosen])
        _returns(samples, start, position)


@kernel
def duel(landlord: Any, peasants: Any, games: int, rules: int, rng: Stream) -> tuple[float, float]:
    """Card play on random deals: how often the landlord wins, and its mean points."""
    deck = full_deck()
    out = np.empty(4 * MAX_MOVES, np.int64)
    wins, total = 0, 0.0
    for _ in range(games):
        position = deal(deck, rules, 0, 0, rng)
        while position.winner < 0:
            if position.turn == 0:
                position = step(position, choose(landlord, position, rng, out))
            else:
                position = step(position, choose(peasants, position, rng, out))
        wins += 1 if position.winner == 0 else 0
        total += payoff(position)
    return wins / games, total / games
