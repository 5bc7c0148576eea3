"""Compiled rules of Gongzhu: ints and arrays in, ints out, nothing validated.

A card is 13 * suit + rank, suits in the order S H D C, rank 0 the two and 12 the ace. Hands and piles are
masks of 52 bits in an int64. A move is the number of its card.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inference._bits_kernels import count, lowest
from inference._rng_kernels import Stream, below
from inference.kernel import kernel

Moves = npt.NDArray[np.int64]

SEATS = 4
RANKS = 13
SUIT = (1 << RANKS) - 1             # one suit, as it stands for spades
DECK = (1 << 52) - 1
SPADES, HEARTS, DIAMONDS, CLUBS = range(4)
PIG = 1 << 10                       # SQ
SHEEP = 1 << (2 * RANKS + 9)        # DJ
DOUBLER = 1 << (3 * RANKS + 8)      # C10
ALL_HEARTS = SUIT << RANKS
SCORING = ALL_HEARTS | PIG | SHEEP | DOUBLER
MAX_MOVES = 13

# A heart costs ten for each of these masks that holds it: H5..H10 one, HJ two, ... HA five.
_H5_UP = (SUIT & ~0x7) << RANKS
_HJ_UP = (SUIT & ~0x1FF) << RANKS
_HQ_UP = (SUIT & ~0x3FF) << RANKS
_HK_UP = (SUIT & ~0x7FF) << RANKS
_HA = (SUIT & ~0xFFF) << RANKS


class Position(NamedTuple):
    """Everything the rules need, with all cards open; by value, so a copy is free and `step` gives a new one."""

    hand0: int            # hands by seat
    hand1: int
    hand2: int
    hand3: int
    pile0: int            # the cards each seat has captured, all of them
    pile1: int
    pile2: int
    pile3: int
    trick0: int           # cards of the current trick in the order played, -1 where there is none yet
    trick1: int
    trick2: int
    leader: int           # seat that led the current trick
    turn: int             # seat to play
    plays: int            # cards played since the start; the last two bits count those of the current trick
    voids: int            # bit 4 * seat + suit: the seat has shown that it is out of the suit, for all to see


@kernel
def hand_of(position: Position, seat: int) -> int:
    """The hand of `seat`."""
    if seat < 2:
        return position.hand0 if seat == 0 else position.hand1
    return position.hand2 if seat == 2 else position.hand3


@kernel
def pile_of(position: Position, seat: int) -> int:
    """The cards `seat` has captured."""
    if seat < 2:
        return position.pile0 if seat == 0 else position.pile1
    return position.pile2 if seat == 2 else position.pile3


@kernel
def is_over(position: Position) -> bool:
    """Whether every card has been played."""
    return position.hand0 | position.hand1 | position.hand2 | position.hand3 == 0


@kernel
def on_table(position: Position) -> int:
    """The cards of the current trick, as a mask."""
    cards = 0
    if position.trick0 >= 0:
        cards |= 1 << position.trick0
    if position.trick1 >= 0:
        cards |= 1 << position.trick1
    if position.trick2 >= 0:
        cards |= 1 << position.trick2
    return cards


@kernel
def played(position: Position) -> int:
    """Every card played so far, as a mask."""
    return position.pile0 | position.pile1 | position.pile2 | position.pile3 | on_table(position)


@kernel
def led_suit(position: Position) -> int:
    """The suit to follow, -1 when the seat to play leads."""
    return position.trick0 // RANKS      # -1 // 13 is -1


@kernel
def following(hand: int, led: int) -> int:
    """Cards of `hand` that may be played; `led` is the led suit, -1 when leading."""
    if led < 0:
        return hand
    same = hand & (SUIT << (RANKS * led))
    return same if same else hand


@kernel
def legal_mask(position: Position) -> int:
    """The legal cards as a mask, 0 when the game is over."""
    return following(hand_of(position, position.turn), led_suit(position))


@kernel
def legal(position: Position, out: Moves) -> int:
    """Write the legal cards, lowest first; returns how many, 0 when the game is over."""
    cards = legal_mask(position)
    n = 0
    while cards:
        out[n] = lowest(cards)
        cards &= cards - 1
        n += 1
    return n


@kernel
def start(hand0: int, hand1: int, hand2: int, hand3: int, first: int) -> Position:
    """A fresh game (or an endgame, with fewer cards each) in which `first` leads."""
    return Position(hand0, hand1, hand2, hand3, 0, 0, 0, 0, -1, -1, -1, first, first, 0, 0)


@kernel
def trick_winner(card0: int, card1: int, card2: int, card3: int) -> int:
    """Which card of a trick takes it, 0..3 in the order played: the highest of the suit of `card0`."""
    ace = card0 // RANKS * RANKS + RANKS - 1
    best, winner = card0, 0
    if best < card1 <= ace:
        best, winner = card1, 1
    if best < card2 <= ace:
        best, winner = card2, 2
    if best < card3 <= ace:
        winner = 3
    return winner


@kernel
def step(position: Position, action: int) -> Position:
    """The position after a legal card."""
    p = position
    keep = ~(1 << action)                # the card is in one hand only: no need to ask whose
    hand0, hand1, hand2, hand3 = p.hand0 & keep, p.hand1 & keep, p.hand2 & keep, p.hand3 & keep
    place = p.plays & 3
    voids = p.voids
    if place and action // RANKS != p.trick0 // RANKS:
        voids |= 1 << (4 * p.turn + p.trick0 // RANKS)
    if place < 3:
        trick0 = action if place == 0 else p.trick0
        trick1 = action if place == 1 else p.trick1
        trick2 = action if place == 2 else p.trick2
        return Position(hand0, hand1, hand2, hand3, p.pile0, p.pile1, p.pile2, p.pile3, trick0, trick1, trick2,
                        p.leader, (p.turn + 1) & 3, p.plays + 1, voids)
    winner = (p.leader + trick_winner(p.trick0, p.trick1, p.trick2, action)) & 3
    trick = (1 << p.trick0) | (1 << p.trick1) | (1 << p.trick2) | (1 << action)
    pile0 = p.pile0 | trick if winner == 0 else p.pile0
    pile1 = p.pile1 | trick if winner == 1 else p.pile1
    pile2 = p.pile2 | trick if winner == 2 else p.pile2
    pile3 = p.pile3 | trick if winner == 3 else p.pile3
    return Position(hand0, hand1, hand2, hand3, pile0, pile1, pile2, pile3, -1, -1, -1, winner, winner, p.plays + 1,
                    voids)


@kernel
def score(pile: int) -> int:
    """Points of one seat's captured cards."""
    if pile & ALL_HEARTS == ALL_HEARTS:
        points = 200
    else:
        points = -10 * (count(pile & _H5_UP) + count(pile & _HJ_UP) + count(pile & _HQ_UP) + count(pile & _HK_UP)
                        + count(pile & _HA))
    if pile & PIG:
        points -= 100
    if pile & SHEEP:
        points += 100
    if pile & DOUBLER:
        if pile & SCORING == DOUBLER:
            return 50
        points *= 2
    return points


@kernel
def difference(position: Position) -> int:
    """Points of seats 0 and 2 less those of 1 and 3, for the piles as they lie now."""
    return score(position.pile0) + score(position.pile2) - score(position.pile1) - score(position.pile3)


@kernel
def payoff(position: Position) -> int:
    """What seats 0 and 2 win of 1 and 3; 0 before the end (see `difference`)."""
    return difference(position) if is_over(position) else 0


@kernel
def full_deck() -> npt.NDArray[np.int64]:
    """The 52 cards as one-card hands, in order."""
    deck = np.empty(52, np.int64)
    for card in range(52):
        deck[card] = 1 << card
    return deck


@kernel
def deal(deck: npt.NDArray[np.int64], first: int, rng: Stream) -> Position:
    """Shuffle `deck` in place and deal 13 each; `first` leads.

    Fisher-Yates, stopped once three hands are drawn: the order within a hand does not matter.
    """
    hand0, hand1, hand2, hand3 = 0, 0, 0, 0
    for i in range(51, 12, -1):
        j = below(rng, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    for i in range(13):
        hand0 |= int(deck[i])
        hand1 |= int(deck[13 + i])
        hand2 |= int(deck[26 + i])
        hand3 |= int(deck[39 + i])
    return start(hand0, hand1, hand2, hand3, first)


@kernel
def nth(mask: int, n: int) -> int:
    """Index of the n-th set bit, counted from 0 at the lowest."""
    for _ in range(n):
        mask &= mask - 1
    return lowest(mask)


@kernel
def random_playout(position: Position, rng: Stream) -> Position:
    """Play to the end, every card uniformly at random among the legal ones."""
    while not is_over(position):
        cards = legal_mask(position)
        n = count(cards)
        position = step(position, nth(cards, below(rng, n)) if n > 1 else lowest(cards))
    return position


@kernel
def random_games(games: int, rng: Stream) -> int:
    """Deal and play `games` full random games; returns the payoffs, summed."""
    deck = full_deck()
    total = 0
    for _ in range(games):
        total += payoff(random_playout(deal(deck, below(rng, SEATS), rng), rng))
    return total


@kernel
def perft(position: Position, depth: int, out: npt.NDArray[np.int64]) -> int:
    """Number of ways to play `depth` cards (or to the end) from here; `out` is [depth + 1, MAX_MOVES]."""
    if depth == 0 or is_over(position):
        return 1
    n = legal(position, out[depth])
    if depth == 1:
        return n
    nodes = 0
    for i in range(n):
        nodes += perft(step(position, int(out[depth, i])), depth - 1, out)
    return nodes
