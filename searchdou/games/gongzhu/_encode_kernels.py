"""Features of a Gongzhu position for the nets: which are on, and what a card changes.

Places are seats counted from the leader of the trick, and cards are named by how they stand among those still in play
when the trick began: within a trick neither changes, so a card played switches a handful of features (`played_ids`), and
only a new trick is encoded anew. The same features serve two views:

    open     every hand as it is                                                     (the oracle)
    averaged the observer's hand as it is, every unseen card spread over the others  (the blueprint)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inference._bits_kernels import count, lowest
from inference.kernel import kernel
from searchdou.games.gongzhu._kernels import (
    ALL_HEARTS,
    DOUBLER,
    HEARTS,
    PIG,
    RANKS,
    SCORING,
    SHEEP,
    SUIT,
    Position,
    hand_of,
    on_table,
    pile_of,
    score,
)

Ints = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

VERSION = 1                 # of the features: weights made for another are refused

# A card's name: in spades, diamonds and clubs by where it stands to the special card while that is in play (0 itself,
# 1.. above it, 5.. below it, nearest first), else by how many are above it (15..); a heart has two names, its own and by
# how many are above it.
_PLAIN = 28
TOKENS = 3 * _PLAIN + 2 * RANKS
_FIRST = np.array([0, _PLAIN, _PLAIN + 2 * RANKS, 2 * _PLAIN + 2 * RANKS])
_SPECIAL = np.array([10, -1, 9, 8])

HAND = 0                                # [4 places, TOKENS] holds the card
LENGTH = HAND + 4 * TOKENS              # [4, 4 suits, 14] holds so many of the suit
TRICK = LENGTH + 4 * 4 * 14             # [3, TOKENS] has played the card to this trick
WINNING = TRICK + 3 * TOKENS            # [3] is winning the trick
PLACED = WINNING + 3                    # [4] cards lie on the table
TAKEN = PLACED + 4                      # [4, 16] has captured that scoring card
ANY = TAKEN + 64                        # [4] has captured any of them
ALL_OF_THEM = ANY + 4                   # [4] has captured every heart that is gone
WORTH = ALL_OF_THEM + 4                 # [4] points of the pile in hundreds, while the doubler is in play
TRICKS = WORTH + 4                      # [13] tricks left, this one included
OBSERVER = TRICKS + 13                  # [4] who looks (averaged view only)
FEATURES = OBSERVER + 4
MOST = 256                              # more than are ever on at once


@kernel
def in_play(position: Position) -> int:
    """The cards in hands and in the current trick."""
    return position.hand0 | position.hand1 | position.hand2 | position.hand3 | on_table(position)


@kernel
def token(card: int, play: int) -> int:
    """The first name of `card` while the cards of `play` are in play."""
    suit = card // RANKS
    low = RANKS * suit
    mine = (play >> low) & SUIT
    rank = card - low
    if suit == HEARTS:
        return _FIRST[suit] + rank
    special = _SPECIAL[suit]
    if (mine >> special) & 1:
        if rank == special:
            return _FIRST[suit]
        if rank > special:
            return _FIRST[suit] + 1 + count(mine & ((1 << rank) - 1) & ~((2 << special) - 1))
        return _FIRST[suit] + 5 + count(mine & ((1 << special) - 1) & ~((2 << rank) - 1))
    return _FIRST[suit] + 15 + count(mine & ~((2 << rank) - 1))


@kernel
def second_token(card: int, play: int) -> int:
    """The second name of a heart: how many are above it."""
    return _FIRST[HEARTS] + RANKS + count(play & ALL_HEARTS & ~((2 << card) - 1))


@kernel
def _put(ids: Ints, on: Singles, n: int, feature: int, much: float) -> int:
    ids[n] = feature
    on[n] = much
    return n + 1


@kernel
def _put_cards(ids: Ints, on: Singles, n: int, cards: int, block: int, play: int, much: float) -> int:
    """The names of `cards` in the block of features that starts at `block`."""
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        n = _put(ids, on, n, block + token(card, play), much)
        if card // RANKS == HEARTS:
            n = _put(ids, on, n, block + second_token(card, play), much)
    return n


@kernel
def _put_table(position: Position, play: int, ids: Ints, on: Singles, n: int) -> int:
    """Everything all can see: the trick, the piles, how long it still goes."""
    placed = position.plays & 3
    if placed:
        winning = winner_of(position)
        n = _put(ids, on, n, WINNING + winning, 1.0)
        n = _put_cards(ids, on, n, 1 << position.trick0, TRICK, play, 1.0)
        if placed > 1:
            n = _put_cards(ids, on, n, 1 << position.trick1, TRICK + TOKENS, play, 1.0)
        if placed > 2:
            n = _put_cards(ids, on, n, 1 << position.trick2, TRICK + 2 * TOKENS, play, 1.0)
    n = _put(ids, on, n, PLACED + placed, 1.0)
    n = _put(ids, on, n, TRICKS + count(play) // 4 - 1, 1.0)
    for place in range(4):
        pile = pile_of(position, (position.leader + place) & 3)
        taken = pile & SCORING
        if not taken:
            continue
        n = _put(ids, on, n, ANY + place, 1.0)
        hearts = (taken >> RANKS) & SUIT
        if hearts and not (ALL_HEARTS & ~play & ~pile):
            n = _put(ids, on, n, ALL_OF_THEM + place, 1.0)
        block = TAKEN + 16 * place
        while hearts:
            n = _put(ids, on, n, block + lowest(hearts), 1.0)
            hearts &= hearts - 1
        if taken & PIG:
            n = _put(ids, on, n, block + 13, 1.0)
        if taken & SHEEP:
            n = _put(ids, on, n, block + 14, 1.0)
        if taken & DOUBLER:
            n = _put(ids, on, n, block + 15, 1.0)
        if play & DOUBLER:
            n = _put(ids, on, n, WORTH + place, 0.01 * score(pile))
    return n


@kernel
def winner_of(position: Position) -> int:
    """The place that is winning the current trick."""
    best, winner = position.trick0, 0
    ace = best // RANKS * RANKS + RANKS - 1
    if best < position.trick1 <= ace:
        best, winner = position.trick1, 1
    if best < position.trick2 <= ace:
        winner = 2
    return winner


@kernel
def _put_hand(hand: int, place: int, play: int, ids: Ints, on: Singles, n: int) -> int:
    """A hand that is known, and its lengths."""
    n = _put_cards(ids, on, n, hand, HAND + TOKENS * place, play, 1.0)
    for suit in range(4):
        n = _put(ids, on, n, LENGTH + (4 * place + suit) * 14 + count((hand >> (RANKS * suit)) & SUIT), 1.0)
    return n


@kernel
def encode_open(position: Position, ids: Ints, on: Singles) -> int:
    """The features with all hands open; returns how many."""
    play = in_play(position)
    n = _put_table(position, play, ids, on, 0)
    for place in range(4):
        n = _put_hand(hand_of(position, (position.leader + place) & 3), place, play, ids, on, n)
    return n


@kernel
def spread(position: Position, observer: int, unseen: int, shares: Floats) -> None:
    """How `observer` spreads the unseen cards: shares [4 suits, 3 seats after it], each row adds up to 1 (or 0).

    In proportion to the room in each hand that may hold the suit, then fitted (Sinkhorn) until hands are as full as they
    are known to be; without voids the first guess is exact.
    """
    per_seat = (count(unseen) + count(hand_of(position, observer)) + (position.plays & 3)) // 4
    room = np.empty(3)
    for k in range(3):
        seat = (observer + 1 + k) & 3
        room[k] = per_seat - (1 if ((seat - position.leader) & 3) < (position.plays & 3) else 0)
    voids = 0
    for suit in range(4):
        total = 0.0
        for k in range(3):
            out = (position.voids >> (4 * ((observer + 1 + k) & 3) + suit)) & 1
            voids |= out
            shares[suit, k] = 0.0 if out else room[k]
            total += shares[suit, k]
        for k in range(3):
            shares[suit, k] = shares[suit, k] / total if total else 0.0
    if not voids:
        return
    for _ in range(4):
        for k in range(3):
            held = 0.0
            for suit in range(4):
                held += shares[suit, k] * count((unseen >> (RANKS * suit)) & SUIT)
            if held > 0.0:
                for suit in range(4):
                    shares[suit, k] *= room[k] / held
        for suit in range(4):
            total = shares[suit, 0] + shares[suit, 1] + shares[suit, 2]
            if total > 0.0:
                for k in range(3):
                    shares[suit, k] /= total


@kernel
def encode_averaged(position: Position, observer: int, shares: Floats, ids: Ints, on: Singles) -> int:
    """The features as `observer` sees them; of the other hands only their union is looked at."""
    own = hand_of(position, observer)
    unseen = (position.hand0 | position.hand1 | position.hand2 | position.hand3) & ~own
    play = in_play(position)
    n = _put_table(position, play, ids, on, 0)
    place = (observer - position.leader) & 3
    n = _put(ids, on, n, OBSERVER + place, 1.0)
    n = _put_hand(own, place, play, ids, on, n)
    spread(position, observer, unseen, shares)
    for suit in range(4):
        cards = unseen & (SUIT << (RANKS * suit))
        for k in range(3):
            if (position.voids >> (4 * ((observer + 1 + k) & 3) + suit)) & 1:
                n = _put(ids, on, n, LENGTH + (4 * ((place + 1 + k) & 3) + suit) * 14, 1.0)
        while cards:
            card = lowest(cards)
            cards &= cards - 1
            name = token(card, play)
            for k in range(3):
                if shares[suit, k] > 0.0:
                    n = _put(ids, on, n, HAND + TOKENS * ((place + 1 + k) & 3) + name, shares[suit, k])
            if suit == HEARTS:
                name = second_token(card, play)
                for k in range(3):
                    if shares[suit, k] > 0.0:
                        n = _put(ids, on, n, HAND + TOKENS * ((place + 1 + k) & 3) + name, shares[suit, k])
    return n


@kernel
def played_ids(position: Position, card: int, play: int, ids: Ints, on: Singles) -> int:
    """What changes when the seat to play plays `card` and the trick goes on; `play` is in_play(position). Returns how many.

    Not for the last card of a trick: then places and names change, and the new position is encoded anew.
    """
    placed = position.plays & 3
    suit = card // RANKS
    name = token(card, play)
    n = _put(ids, on, 0, HAND + TOKENS * placed + name, -1.0)
    n = _put(ids, on, n, TRICK + TOKENS * placed + name, 1.0)
    if suit == HEARTS:
        name = second_token(card, play)
        n = _put(ids, on, n, HAND + TOKENS * placed + name, -1.0)
        n = _put(ids, on, n, TRICK + TOKENS * placed + name, 1.0)
    length = count((hand_of(position, position.turn) >> (RANKS * suit)) & SUIT)
    n = _put(ids, on, n, LENGTH + (4 * placed + suit) * 14 + length, -1.0)
    n = _put(ids, on, n, LENGTH + (4 * placed + suit) * 14 + length - 1, 1.0)
    n = _put(ids, on, n, PLACED + placed, -1.0)
    n = _put(ids, on, n, PLACED + placed + 1, 1.0)
    if placed == 0:
        return _put(ids, on, n, WINNING, 1.0)
    before = winner_of(position)
    best = position.trick0 if before == 0 else position.trick1
    if best < card < RANKS * (position.trick0 // RANKS + 1):
        n = _put(ids, on, n, WINNING + before, -1.0)
        n = _put(ids, on, n, WINNING + placed, 1.0)
    return n
