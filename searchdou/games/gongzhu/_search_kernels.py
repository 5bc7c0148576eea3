"""Gongzhu for the generic search: sides, the solver's moves and keys, and a cheap policy for rollouts.

Side 0 is seats 0 and 2. The policy looks at its own hand, the trick, the piles and the union of the other hands
(which a seat knows: it is the deck less what it holds and what was played), never at who holds what.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inference._bits_kernels import count, lowest, mix
from inference._game_kernels import register, register_policy
from inference._rng_kernels import Stream, below
from inference.kernel import kernel
from searchdou.games.gongzhu._kernels import (
    ALL_HEARTS,
    CLUBS,
    DIAMONDS,
    DOUBLER,
    HEARTS,
    MAX_MOVES,
    PIG,
    RANKS,
    SCORING,
    SHEEP,
    SPADES,
    SUIT,
    Position,
    difference,
    hand_of,
    is_over,
    legal,
    legal_mask,
    nth,
    on_table,
    pile_of,
    score,
    step,
)

Ints = npt.NDArray[np.int64]
_H2 = 1 << RANKS
Floats = npt.NDArray[np.float64]


@kernel
def turn(position: Position) -> int:
    """The seat to play."""
    return position.turn


@kernel
def side(position: Position) -> int:
    """0 when seats 0 and 2 are to play, else 1."""
    return position.turn & 1


@kernel
def points(position: Position) -> float:
    """What seats 0 and 2 win of 1 and 3."""
    return float(difference(position))


@kernel
def cards_left(position: Position) -> int:
    """Cards still to be played."""
    return 52 - position.plays


@kernel
def with_hands(position: Position, hands: Ints) -> Position:
    """`position` with the four hands replaced."""
    p = position
    return Position(hands[0], hands[1], hands[2], hands[3], p.pile0, p.pile1, p.pile2, p.pile3, p.trick0, p.trick1,
                    p.trick2, p.leader, p.turn, p.plays, p.voids)


# --- the exact solver ----------------------------------------------------------------------------------------------

@kernel
def settled(position: Position) -> int:
    """The difference of the piles as they lie."""
    return difference(position)


@kernel
def scale(position: Position) -> int:
    """A point is a point."""
    return 1


@kernel
def reach(position: Position) -> int:
    """No side can win more than this from here on: the points in play, doubled where the doubler may still double them.

    Generous, not sharp: what counts is that it is 0 once the last scoring card is gone, and small when little is left.
    """
    play = (position.hand0 | position.hand1 | position.hand2 | position.hand3 | on_table(position)) & SCORING
    if play == 0:
        return 0
    most = -score(play & ALL_HEARTS & ~_H2) if play & ALL_HEARTS else 0
    if play & PIG:
        most += 100
    if play & SHEEP:
        most += 100
    takers, doubled = 0, play & DOUBLER != 0
    for seat in range(4):
        pile = pile_of(position, seat)
        if pile & ALL_HEARTS:
            takers += 1
        doubled = doubled or pile & DOUBLER != 0
    if takers < 2 and play & ALL_HEARTS:                # one pile may still take all hearts: from -200 to +200
        most += 400
    if not doubled:
        return most
    most *= 2
    if play & DOUBLER:
        for seat in range(4):
            most += abs(score(pile_of(position, seat)))
    return most + 100                                   # the doubler alone is 50 and loses it with the first other card


@kernel
def class_of(card: int) -> int:
    """Cards of one suit with equal numbers score alike: 0 for plain ones."""
    if RANKS <= card < 2 * RANKS:
        rank = card - RANKS
        return 1 if rank < 3 else 2 if rank < 9 else rank
    return 1 if (1 << card) & (PIG | SHEEP | DOUBLER) else 0


@kernel
def moves(position: Position, out: Ints) -> int:
    """Legal cards, one of each run that nobody else's card divides and that scores alike; likely best first.

    The second half of the first 2 * MAX_MOVES places of `out` is scratch.
    """
    mask = legal_mask(position)
    hand = hand_of(position, position.turn)
    others = (position.hand0 | position.hand1 | position.hand2 | position.hand3 | on_table(position)) & ~hand
    n = 0
    last, last_class = -1, -1
    while mask:
        card = lowest(mask)
        mask &= mask - 1
        kind = class_of(card)
        between = others & ((1 << card) - 1) & ~((1 << (last + 1)) - 1) if last >= 0 else -1
        if last >= 0 and between == 0 and kind == last_class and last // RANKS == card // RANKS:
            last = card
            continue
        out[n] = card
        n += 1
        last, last_class = card, kind
    if n > 1:                                           # best first, by what one trick is likely to bring
        lying, best, partner_best = _trick_so_far(position)
        unseen = others & ~on_table(position)
        for i in range(n):
            card = out[i]
            worth = int(16.0 * greedy_value(position, card, unseen, lying, best, partner_best))
            j = i
            while j > 0 and out[MAX_MOVES + j - 1] < worth:
                out[MAX_MOVES + j] = out[MAX_MOVES + j - 1]
                out[j] = out[j - 1]
                j -= 1
            out[MAX_MOVES + j] = worth
            out[j] = card
    return n


@kernel
def key(position: Position) -> tuple[int, int]:
    """At the start of a trick: hands, leader, and what of the piles still matters; (0, 0) within a trick.

    While the doubler is out every pile's points matter, since it may double them; once it is taken only its owner's
    "anything else?" does. All hearts in one pile are possible while one pile holds all that were taken.
    """
    if position.plays & 3:
        return 0, 0
    past = position.leader
    doubled = 4
    hearts_in = 5
    for seat in range(4):
        pile = pile_of(position, seat)
        if pile & DOUBLER:
            doubled = seat
            past = 2 * past + (1 if pile & SCORING & ~DOUBLER else 0)
        if pile & ALL_HEARTS:
            hearts_in = seat if hearts_in == 5 else 6
    past = (past * 8 + doubled) * 8 + hearts_in
    if doubled == 4:
        for seat in range(4):
            pile = pile_of(position, seat)
            past = past * 64 + (score(pile) + 300) // 10
            past = past * 2 + (1 if pile & SCORING else 0)
    a = mix(position.hand0 ^ mix(position.hand1 ^ mix(position.hand2 + past, 0x2545F4914F6CDD1D),
                                   0x1B03738712FAD5C9), 0x369DEA0F31A53F85)
    b = mix(position.hand2 ^ mix(position.hand0 ^ mix(position.hand3 + past, 0x27BB2EE687B0B0FD),
                                   0x5851F42D4C957F2D), 0x106689D45497FDB5)
    return a | 1, b


# --- a cheap policy ------------------------------------------------------------------------------------------------

class Greedy(NamedTuple):
    """The best of the trick as it stands, with the odds of being overtaken; `noise` of the time any legal card."""

    noise: float = 0.1


CARD_POINTS = np.zeros(52)
CARD_POINTS[13:26] = (0, 0, 0, -10, -10, -10, -10, -10, -10, -20, -30, -40, -50)
CARD_POINTS[10], CARD_POINTS[35], CARD_POINTS[47] = -100, 100, -15
# What holding a card is worth in points while its suit's special card is out (the paper's Table 4, and ours for the rest);
# with these the results of Mr. Greed fall where the original's do (benchmarks/RESULTS.md).
HELD = np.zeros(52)
HELD[[12, 11, 10]] = (-50.0, -30.0, -45.0)
HELD[13:26] = (4, 3, 2, 0, -2, -4, -6, -8, -10, -12, -16, -20, -24)
HELD[[38, 37, 36, 35]] = (30.0, 20.0, 10.0, 40.0)
HELD[[51, 50, 49, 48, 47]] = (-20.0, -15.0, -10.0, -5.0, -15.0)
LOW_CARD = 0.6         # points a rank lower is worth to keep: low cards lose tricks later
COVERED = 0.72         # chance that one higher unseen card does not overtake
_HOLDS = COVERED ** np.arange(RANKS)
STILL_TO_COME = -6.0   # points a later player adds to a trick, on average
PIG_FALLS = -14.0      # more of them in spades while the pig is out
SHEEP_FALLS = 8.0      # in diamonds while the sheep is out


@kernel
def greedy_value(position: Position, card: int, unseen: int, lying: float, best: int, partner_best: bool) -> float:
    """What playing `card` is worth to its side: the trick's points by who is likely to take it, less its keep."""
    suit = card // RANKS
    trick = lying + CARD_POINTS[card]
    to_come = 3 - (position.plays & 3)
    keep = -LOW_CARD * (card - RANKS * suit)
    if (suit == HEARTS or (suit == SPADES and unseen & PIG) or (suit == DIAMONDS and unseen & SHEEP)
            or (suit == CLUBS and unseen & DOUBLER) or (1 << card) & (PIG | SHEEP | DOUBLER)):
        keep += HELD[card]
    led = suit if best < 0 else best // RANKS
    coming = to_come * STILL_TO_COME
    if led == SPADES and unseen & PIG:
        coming += to_come * PIG_FALLS
    elif led == DIAMONDS and unseen & SHEEP:
        coming += to_come * SHEEP_FALLS
    trick += coming
    wins = best < 0 or (suit == led and card > best)
    top = card if wins else best
    if to_come == 0:
        holds = 1.0
    else:
        higher = count(unseen & ~((1 << (top + 1)) - 1) & (SUIT << (RANKS * led)))
        holds = _HOLDS[higher]
    ours = wins or partner_best
    # Overtaken, the trick goes to one of the players to come: two of three are enemies of the leader, and so on.
    if to_come == 3:
        enemy = 2.0 / 3.0
    elif to_come == 2:
        enemy = 0.5
    else:
        enemy = 1.0
    lost = 1.0 - 2.0 * enemy
    return trick * (holds * (1.0 if ours else -1.0) + (1.0 - holds) * lost) - keep


@kernel
def _trick_so_far(position: Position) -> tuple[float, int, bool]:
    """Points lying on the table, the winning card (-1 when leading), whether the partner of the seat to play has it."""
    if position.trick0 < 0:
        return 0.0, -1, False
    lying = CARD_POINTS[position.trick0]
    best, winner = position.trick0, 0
    ace = best // RANKS * RANKS + RANKS - 1
    if position.trick1 >= 0:
        lying += CARD_POINTS[position.trick1]
        if best < position.trick1 <= ace:
            best, winner = position.trick1, 1
    if position.trick2 >= 0:
        lying += CARD_POINTS[position.trick2]
        if best < position.trick2 <= ace:
            best, winner = position.trick2, 2
    return lying, best, (position.leader + winner) & 1 == position.turn & 1


@kernel
def greedy_choice(policy: Greedy, position: Position, rng: Stream, out: Ints) -> int:
    """The card of the highest value; with probability `noise` any legal card."""
    mask = legal_mask(position)
    n = count(mask)
    if n == 1:
        return lowest(mask)
    if policy.noise > 0.0 and below(rng, 1024) < policy.noise * 1024:
        return nth(mask, below(rng, n))
    hand = hand_of(position, position.turn)
    unseen = (position.hand0 | position.hand1 | position.hand2 | position.hand3) & ~hand
    lying, best, partner_best = _trick_so_far(position)
    choice, top = -1, -1e300
    while mask:
        card = lowest(mask)
        mask &= mask - 1
        value = greedy_value(position, card, unseen, lying, best, partner_best)
        if value > top:
            choice, top = card, value
    return choice


@kernel
def greedy_values(policy: Greedy, position: Position, actions: Ints, n: int, q: Floats) -> None:
    """The values of the n cards in `actions`."""
    hand = hand_of(position, position.turn)
    unseen = (position.hand0 | position.hand1 | position.hand2 | position.hand3) & ~hand
    lying, best, partner_best = _trick_so_far(position)
    for i in range(n):
        q[i] = greedy_value(position, actions[i], unseen, lying, best, partner_best)


register(Position, SimpleNamespace(legal=legal, step=step, turn=turn, side=side, over=is_over, points=points,
                                   cards_left=cards_left, with_hands=with_hands, moves=moves, key=key, settled=settled,
                                   scale=scale, reach=reach))
register_policy(Greedy, SimpleNamespace(choose=greedy_choice, values=greedy_values))
