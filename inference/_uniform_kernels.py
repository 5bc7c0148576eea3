"""Exactly uniform deals of the unseen cards over up to three hidden places, by counting.

Cards come in groups (suits, ranks): all cards of a group may go to the same places. A place is a hidden hand
(or the kitty); `allowed[g]` has bit p set when group g may go to place p, `capacity[p]` is how many cards
place p takes. The number of ways to complete a partial deal depends only on how much room is left, so one
table counts them all, and drawing from the counts is exact: no rejection, no bias.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from inference._rng_kernels import Stream, below, next63
from inference.kernel import kernel

Ints = npt.NDArray[np.int64]

PLACES = 3
MOST = 54                          # cards in the largest deck
CHOOSE = np.array([[math.comb(n, k) for k in range(MOST + 1)] for n in range(MOST + 1)], np.int64)


@kernel
def count_deals(sizes: Ints, allowed: Ints, capacity: Ints, table: Ints) -> int:
    """Fill `table` [groups + 1, room0 + 1, room1 + 1] and return how many deals there are, 0 when impossible.

    table[g, i, j]: ways to place groups g and later when places 0 and 1 have room i and j (place 2 takes
    the rest). Cards are told apart, so 39 cards over three hands still fit an int64.
    """
    groups = sizes.size
    table[:] = 0
    table[groups, 0, 0] = 1
    later = 0                       # cards in the groups after g: what room there must be in all
    for g in range(groups - 1, -1, -1):
        n = sizes[g]
        to0, to1, to2 = allowed[g] & 1, allowed[g] & 2, allowed[g] & 4
        for i in range(capacity[0] + 1):
            for j in range(capacity[1] + 1):
                room2 = later + n - i - j
                if room2 < 0 or room2 > capacity[2]:
                    continue
                ways = 0
                for a in range((min(n, i) if to0 else 0) + 1):
                    for b in range((min(n - a, j) if to1 else 0) + 1):
                        c = n - a - b
                        if c > 0 and (not to2 or c > room2):
                            continue
                        rest = table[g + 1, i - a, j - b]
                        if rest:
                            ways += CHOOSE[n, a] * CHOOSE[n - a, b] * rest
                table[g, i, j] = ways
        later += n
    return table[0, capacity[0], capacity[1]]


@kernel
def below63(rng: Stream, n: int) -> int:
    """A uniform integer in 0..n-1 for any n < 2^63, exactly (rejection)."""
    if n < 0x7FFFFFFF:
        return below(rng, n)
    limit = 0x7FFFFFFFFFFFFFFF - (0x7FFFFFFFFFFFFFFF % n + 1) % n
    x = next63(rng)
    while x > limit:
        x = next63(rng)
    return x % n


@kernel
def draw_deal(cards: Ints, sizes: Ints, allowed: Ints, capacity: Ints, table: Ints, rng: Stream, owner: Ints) -> None:
    """Draw one deal: `cards` (ordered by group) is shuffled within groups, owner[k] is the place of cards[k].

    `table` comes from `count_deals` with the same arguments.
    """
    i, j = capacity[0], capacity[1]
    first = 0
    for g in range(sizes.size):
        n = sizes[g]
        if n == 0:
            continue
        ticket = below63(rng, table[g, i, j])
        a, b, _ = _split(ticket, n, i, j, g, allowed[g], table)
        # The first a cards of a partly shuffled group go to place 0, the next b to place 1, the rest to 2.
        for k in range(a + b):
            swap = first + k + below(rng, n - k)
            cards[first + k], cards[swap] = cards[swap], cards[first + k]
            owner[first + k] = 0 if k < a else 1
        for k in range(a + b, n):
            owner[first + k] = 2
        first += n
        i -= a
        j -= b


@kernel
def unrank_deal(rank: int, cards: Ints, sizes: Ints, allowed: Ints, capacity: Ints, table: Ints, owner: Ints) -> None:
    """The deal of that number, 0 <= rank < count_deals: owner[k] is the place of cards[k]; `cards` stays as it is."""
    i, j = capacity[0], capacity[1]
    first = 0
    for g in range(sizes.size):
        n = sizes[g]
        if n == 0:
            continue
        a, b, rank = _split(rank, n, i, j, g, allowed[g], table)
        rest = table[g + 1, i - a, j - b]
        chosen = rank // rest
        rank %= rest
        to0, to1 = chosen // CHOOSE[n - a, b], chosen % CHOOSE[n - a, b]
        left0, left1, others = a, b, n - a
        for k in range(n):                             # which cards go to 0, then which of the others to 1
            if left0 and to0 < CHOOSE[n - k - 1, left0 - 1]:
                owner[first + k] = 0
                left0 -= 1
                continue
            if left0:
                to0 -= CHOOSE[n - k - 1, left0 - 1]
            others -= 1
            if left1 and to1 < CHOOSE[others, left1 - 1]:
                owner[first + k] = 1
                left1 -= 1
            else:
                if left1:
                    to1 -= CHOOSE[others, left1 - 1]
                owner[first + k] = 2
        first += n
        i -= a
        j -= b


@kernel
def _split(rank: int, n: int, i: int, j: int, g: int, allowed: int, table: Ints) -> tuple[int, int, int]:
    """How many cards of group g go to places 0 and 1 in deal number `rank`, and the rank among deals that split it so."""
    for a in range((min(n, i) if allowed & 1 else 0) + 1):
        for b in range((min(n - a, j) if allowed & 2 else 0) + 1):
            if n - a - b > 0 and not allowed & 4:
                continue
            ways = CHOOSE[n, a] * CHOOSE[n - a, b] * table[g + 1, i - a, j - b]
            if rank < ways:
                return a, b, rank
            rank -= ways
    return -1, -1, -1               # not reached: the counts add up


@kernel
def draw_hands(cards: Ints, codes: Ints, sizes: Ints, allowed: Ints, capacity: Ints, fixed: Ints, table: Ints, rng: Stream,
               owner: Ints, hands: Ints) -> None:
    """Fill every row of `hands` [deals, places] with a uniform deal: what is `fixed` there and the codes of its cards."""
    for row in range(hands.shape[0]):
        draw_deal(cards, sizes, allowed, capacity, table, rng, owner)
        add_up(cards, codes, fixed, owner, hands[row])


@kernel
def list_hands(cards: Ints, codes: Ints, sizes: Ints, allowed: Ints, capacity: Ints, fixed: Ints, table: Ints, owner: Ints,
               hands: Ints) -> None:
    """Fill the rows of `hands` with all deals in the order of their numbers."""
    for row in range(hands.shape[0]):
        unrank_deal(row, cards, sizes, allowed, capacity, table, owner)
        add_up(cards, codes, fixed, owner, hands[row])


@kernel
def add_up(cards: Ints, codes: Ints, fixed: Ints, owner: Ints, hand: Ints) -> None:
    """The hands of one deal: `hand` [places] becomes `fixed` plus the code of every card at its place."""
    for place in range(PLACES):
        hand[place] = fixed[place]
    for k in range(cards.size):
        hand[owner[k]] += codes[cards[k]]
