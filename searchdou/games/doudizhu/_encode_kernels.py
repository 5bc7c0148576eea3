"""What the nets of DouDizhu see: a position after an action, by the seat that acted; compiled.

Cards are counted up ("at least k of a rank"), seats are named from the one that acted: itself, the next, the previous one.
Two views share one layout:

    seen    own hand, the unseen cards together, what each of the others has played: one seat's knowledge
    open    own hand and the hands of the next and the previous seat

and what both know: the landlord's public cards still to come (as peasants see them), cards left, the kind on the table
and who may answer it, what the others played last and last passed on, what each seat bid, whether spring can still double
the stake, which bombs may be out, and the shape of one's hand: what a small net finds hard to count. Bombs played before
are left out: values are in stakes as they stand, so they do not matter.

All legal moves of a seat share most features. `encode_before` writes those of the position before the move,
`changed_by` the few that a move adds and takes away.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inference._bits_kernels import count
from inference.kernel import kernel
from searchdou.games.doudizhu._kernels import (
    BOMB,
    CARDS,
    CHAIN_PAIR,
    CHAIN_SOLO,
    CHAINABLE,
    JOKERS,
    KIND_CATEGORY,
    KIND_RANK,
    KIND_SHIFT,
    KINDS,
    ONES,
    PAIR,
    PLANE,
    PLANE_PAIR,
    PLANE_SOLO,
    PLAYED,
    REFUSED,
    ROCKET,
    SOLO,
    SPRING_DOUBLES,
    SUITED,
    TRIO,
    TRIO_PAIR,
    TRIO_SOLO,
    Position,
    hand_of,
    recent_kind,
    size,
)

Ints = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]

VERSION = 2
DEAL = 4 * ONES | JOKERS        # all cards
CLASSES = 15 + 13 + 13 + 5      # of recent moves: solos, pairs, trios with or without kickers by rank, and the others
DECK = 54                       # four features a rank 3..2, one a joker
OWN = 0
FIRST = OWN + DECK              # seen: unseen cards; open: the next seat's hand
SECOND = FIRST + DECK           # seen: played by the next seat; open: the previous seat's hand
THIRD = SECOND + DECK           # seen: played by the previous seat
PUBLIC = THIRD + DECK           # the three cards the landlord must still hold, for the peasants
LEFT = PUBLIC + DECK            # cards left of oneself, the next, the previous seat: 0 .. 20 each
KIND = LEFT + 3 * 21            # the kind to beat, none when the next seat leads
CATEGORY = KIND + KINDS
STAND = CATEGORY + 18           # how the table stands: MINE, PASSED, or CLEARED
SPRING = STAND + 3              # where it counts: peasants have not played; the landlord has played once at most
BIDS = SPRING + 2               # what oneself, the next, the previous seat bid: 0 .. 3 each
THREATS = BIDS + 12             # bombs that may be out: ranks unseen four times, 0 .. 5; and the rocket
SHAPE = THREATS + 7             # of one's hand: how many ranks it has once, twice, three, four times, 0 .. 13 each
RUNS = SHAPE + 56               # its longest run of ranks held at least once, twice, three times, 0 .. 12 each
TOPS = RUNS + 39                # its cards above all unseen ones, 0 .. 7; its pairs above all unseen pairs, 0 .. 7
RECENT = TOPS + 16              # of the next and the previous seat: what it played last, what it last passed on
FEATURES = RECENT + 4 * CLASSES
MOST = 192                      # features on at once, and the changes of a move

MINE, PASSED, CLEARED = 0, 1, 2     # the next seat must beat my move; the move I passed on; nothing


def _class_of(category: int, rank: int) -> int:
    if category == SOLO:
        return rank
    if category == PAIR:
        return 15 + rank
    if category in (TRIO, TRIO_SOLO, TRIO_PAIR):
        return 28 + rank
    others = ((BOMB, ROCKET), (CHAIN_SOLO,), (CHAIN_PAIR,), (PLANE, PLANE_SOLO, PLANE_PAIR))
    return 41 + next((i for i, group in enumerate(others) if category in group), 4)


CLASS = np.array([_class_of(int(category), int(rank)) for category, rank in zip(KIND_CATEGORY, KIND_RANK, strict=True)])


@kernel
def seat_after(seat: int) -> int:
    """The next seat."""
    return seat + 1 if seat < 2 else 0


@kernel
def played_by(position: Position, seat: int) -> int:
    """The cards a seat has played."""
    if seat == 0:
        return position.played0
    if seat == 1:
        return position.played1
    return position.played2


@kernel
def write_cards(cards: int, at: int, n: int, ids: Ints) -> int:
    """One feature for every card: the k-th of its rank is `at` + 4 rank + k."""
    for rank in range(13):
        for k in range((cards >> 4 * rank) & 7):
            ids[n] = at + 4 * rank + k
            n += 1
    for joker in range(2):
        if (cards >> (52 + joker)) & 1:
            ids[n] = at + 52 + joker
            n += 1
    return n


@kernel
def _longest(ranks: int) -> int:
    """The longest run of ranks 3..A in a mask of one bit a rank."""
    run, length = ranks & CHAINABLE, 0
    while run:
        run &= run >> 4
        length += 1
    return length


@kernel
def _above_all(held: int, others: int) -> int:
    """How many places of the mask `held` are higher than all of `others`, 7 at most."""
    covered = others
    for shift in (1, 2, 4, 8, 16, 32):
        covered |= covered >> shift
    return min(7, count(held & ~covered))


@kernel
def write_shape(hand: int, unseen: int, n: int, ids: Ints) -> int:
    """How a hand hangs together, and what in it nobody can beat."""
    low, out = hand & SUITED, unseen & SUITED
    b0, b1, b2 = low & ONES, (low >> 1) & ONES, (low >> 2) & ONES
    once, twice, thrice = b0 | b1 | b2, b1 | b2, (b0 & b1) | b2
    ids[n] = SHAPE + count(b0 & ~b1) + count((hand >> 52) & 3)
    ids[n + 1] = SHAPE + 14 + count(b1 & ~b0)
    ids[n + 2] = SHAPE + 28 + count(b0 & b1)
    ids[n + 3] = SHAPE + 42 + count(b2)
    ids[n + 4] = RUNS + _longest(once)
    ids[n + 5] = RUNS + 13 + _longest(twice)
    ids[n + 6] = RUNS + 26 + _longest(thrice)
    ids[n + 7] = TOPS + _above_all(once | hand & JOKERS, (out | out >> 1 | out >> 2) & ONES | unseen & JOKERS)
    ids[n + 8] = TOPS + 8 + _above_all(twice, (out >> 1 | out >> 2) & ONES)
    return n + 9


@kernel
def still_public(kitty: int, played: int) -> int:
    """The three cards less what their holder has played of their ranks."""
    left = kitty & ~played & (3 << 52)
    for rank in range(13):
        more = ((kitty >> 4 * rank) & 7) - ((played >> 4 * rank) & 7)
        if more > 0:
            left |= more << 4 * rank
    return left


@kernel
def _table(position: Position, cards_left: int, kind: int, stand: int, landlord_plays: int, peasant_plays: int, n: int,
           ids: Ints) -> int:
    """What a move decides beside the hand."""
    ids[n] = LEFT + cards_left
    ids[n + 1] = STAND + stand
    n += 2
    if stand != CLEARED:
        ids[n] = KIND + kind
        ids[n + 1] = CATEGORY + KIND_CATEGORY[kind]
        n += 2
    if position.rules & SPRING_DOUBLES:
        if peasant_plays == 0:
            ids[n] = SPRING
            n += 1
        if landlord_plays <= 1:
            ids[n] = SPRING + 1
            n += 1
    return n


@kernel
def encode_before(position: Position, shown: bool, ids: Ints, on: Singles) -> int:
    """The features that the position after any action of the seat to act begins with; returns how many."""
    seat = position.turn
    after, before = seat_after(seat), seat_after(seat_after(seat))
    next_hand, previous_hand = hand_of(position, after), hand_of(position, before)
    n = write_cards(hand_of(position, seat), OWN, 0, ids)
    if position.landlord >= 0:              # while bidding all other cards are unseen, the three among them
        if shown:
            n = write_cards(next_hand, FIRST, n, ids)
            n = write_cards(previous_hand, SECOND, n, ids)
        else:
            n = write_cards(next_hand + previous_hand, FIRST, n, ids)
            n = write_cards(played_by(position, after), SECOND, n, ids)
            n = write_cards(played_by(position, before), THIRD, n, ids)
        if seat != position.landlord:
            n = write_cards(still_public(position.kitty, played_by(position, position.landlord)), PUBLIC, n, ids)
        for place in range(2):
            seen = after if place == 0 else before
            for half in range(2):
                kind = recent_kind(position, seen, REFUSED if half else PLAYED)
                if kind:
                    ids[n] = RECENT + CLASSES * (2 * place + half) + CLASS[kind]
                    n += 1
        ids[n] = LEFT + 21 + size(next_hand)
        ids[n + 1] = LEFT + 42 + size(previous_hand)
        n += 2
    unseen = next_hand + previous_hand
    threats = count((unseen & SUITED) >> 2 & ONES) if position.landlord >= 0 else 0
    ids[n] = THREATS + min(5, threats)
    n += 1
    if position.landlord >= 0 and unseen & JOKERS == JOKERS:
        ids[n] = THREATS + 6
        n += 1
    caller = seat
    for place in range(3):
        call = (position.calls >> 3 * caller) & 7
        if call:
            ids[n] = BIDS + 4 * place + call - 1
            n += 1
        caller = seat_after(caller)
    for k in range(n):
        on[k] = np.float32(1.0)
    return n


@kernel
def changed_by(position: Position, action: int, ids: Ints, on: Singles) -> int:
    """What an action changes in `encode_before`: on[k] is 1 for a feature that comes, -1 for one that goes."""
    seat = position.turn
    hand = hand_of(position, seat)
    if position.landlord < 0:
        ids[0] = BIDS + action
        n = write_shape(hand, DEAL - hand, 1, ids)
        for k in range(n):
            on[k] = np.float32(1.0)
        return n
    cards = action & CARDS
    n = 0
    for rank in range(13):
        held = (hand >> 4 * rank) & 7
        for k in range((cards >> 4 * rank) & 7):
            ids[n] = OWN + 4 * rank + held - 1 - k
            n += 1
    for joker in range(2):
        if (cards >> (52 + joker)) & 1:
            ids[n] = OWN + 52 + joker
            n += 1
    for k in range(n):
        on[k] = np.float32(-1.0)
    gone = n
    unseen = hand_of(position, seat_after(seat)) + hand_of(position, seat_after(seat_after(seat)))
    landlord_plays, peasant_plays = position.landlord_plays, position.peasant_plays
    if action == 0:
        stand = CLEARED if position.passes == 1 else PASSED
        n = _table(position, size(hand), position.to_beat, stand, landlord_plays, peasant_plays, n, ids)
        n = write_shape(hand, unseen, n, ids)
    else:
        if seat == position.landlord:
            landlord_plays += 1
        else:
            peasant_plays += 1
        n = _table(position, size(hand - cards), action >> KIND_SHIFT, MINE, landlord_plays, peasant_plays, n, ids)
        n = write_shape(hand - cards, unseen, n, ids)
    for k in range(gone, n):
        on[k] = np.float32(1.0)
    return n
