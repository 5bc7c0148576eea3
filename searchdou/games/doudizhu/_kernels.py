"""Compiled rules of DouDizhu: ints and arrays in, ints out, nothing validated.

A hand is 54 bits of an int64: four bits a rank for 3..A,2 (ranks 0..12, the count 0..4), then one bit
each for the black and the red joker. So `hand - cards` removes and `hand + cards` adds.

A move is one int64: the cards it takes from the hand, and above them its kind. A kind is a row of the
tables below, (category, main rank, length); a chain's main rank is its lowest. The pass is 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inference._bits_kernels import count, lowest
from inference._rng_kernels import Stream, below
from inference.kernel import kernel

Moves = npt.NDArray[np.int64]

RANKS = 15
BLACK, RED = 13, 14                 # ranks of the jokers
TWO = 12                            # the highest rank with four cards; chains end below it
SUITED = (1 << 52) - 1              # the bits of ranks 0..12
JOKERS = 3 << 52
BLACK_BIT, RED_BIT = 1 << 52, 1 << 53
CARDS = (1 << 54) - 1
ONES = 0x1111111111111              # one bit a rank, 0..12
CHAINABLE = 0x111111111111          # one bit a rank, 0..11: ranks 3..A
GUARD = 0x8888888888888             # the free top bit of every rank
KIND_SHIFT = 54
PLAYED, REFUSED = 0, 9              # where Position.recent keeps what a seat played last, and last passed on

(PASS, SOLO, PAIR, TRIO, TRIO_SOLO, TRIO_PAIR, BOMB, ROCKET, QUAD_SOLO, QUAD_PAIR, CHAIN_SOLO, CHAIN_PAIR,
 PLANE, PLANE_SOLO, PLANE_PAIR, QUAD_CHAIN, QUAD_CHAIN_SOLO, QUAD_CHAIN_PAIR) = range(18)

# What a rule set may switch on; see rules.RuleSet for the words.
BOTH_JOKERS, QUAD_KICKERS, EXTENDING_TRIOS, PAIRED_SOLOS, QUAD_TWO, QUAD_CHAINS = 1, 2, 4, 8, 16, 32
BID_STAKE, BOMBS_DOUBLE, SPRING_DOUBLES, FORCED_LANDLORD, LANDLORD_TWICE = 64, 128, 256, 512, 1024

MAX_MOVES = 8192                    # more than any hand of 20 has, with the work space of _kickers

# Lengths of every category; chains also say the highest rank they may begin from (14 - length for ranks 0..11).
_LENGTHS = {PASS: (0,), SOLO: (1,), PAIR: (1,), TRIO: (1,), TRIO_SOLO: (1,), TRIO_PAIR: (1,), BOMB: (1,), ROCKET: (1,),
            QUAD_SOLO: (1,), QUAD_PAIR: (1,), CHAIN_SOLO: range(5, 13), CHAIN_PAIR: range(3, 11), PLANE: range(2, 7),
            PLANE_SOLO: range(2, 6), PLANE_PAIR: range(2, 5), QUAD_CHAIN: range(2, 6), QUAD_CHAIN_SOLO: range(2, 4),
            QUAD_CHAIN_PAIR: range(2, 3)}


def _ranks_of(category: int, length: int) -> int:
    if category in (PASS, ROCKET):
        return 1
    if category == SOLO:
        return RANKS
    return 13 if length == 1 else 13 - length


_ROWS = [(category, rank, length) for category, lengths in _LENGTHS.items() for length in lengths
         for rank in range(_ranks_of(category, length))]
KINDS = len(_ROWS)
KIND_CATEGORY = np.array([row[0] for row in _ROWS])
KIND_RANK = np.array([row[1] for row in _ROWS])
KIND_LENGTH = np.array([row[2] for row in _ROWS])
KIND_BASE = np.zeros((18, 13), np.int64)     # [category, length] -> kind of its lowest rank
for _kind, (_category, _rank, _length) in enumerate(_ROWS):
    if _rank == 0:
        KIND_BASE[_category, _length] = _kind

COPIES = np.array([0, 1, 2, 3, 3, 3, 4, 0, 4, 4, 1, 2, 3, 3, 3, 4, 4, 4])          # [category] cards of a main rank
KICKER_UNIT = np.array([0, 0, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 0, 1, 2, 0, 1, 2])     # [category] 1 solos, 2 pairs
WINGS = np.array([0, 0, 0, 0, 1, 1, 0, 0, 2, 2, 0, 0, 0, 1, 1, 0, 2, 2])           # [category] kickers a main rank
SHORTEST = np.array([0, 5, 3, 2, 1])         # [copies] ranks of the shortest chain; a quad stands alone
LEADS = np.zeros((5, 13, 3), np.int64)       # [copies, length] -> up to three categories of chains and quads
for _category in range(QUAD_SOLO, QUAD_CHAIN_PAIR + 1):
    for _length in _LENGTHS[_category]:
        _row = LEADS[COPIES[_category], _length]
        _row[int(np.count_nonzero(_row))] = _category

_SOLO, _PAIR, _TRIO = (int(KIND_BASE[c, 1]) for c in (SOLO, PAIR, TRIO))
_TRIO_SOLO, _TRIO_PAIR = (int(KIND_BASE[c, 1]) for c in (TRIO_SOLO, TRIO_PAIR))
_BOMB, _ROCKET = (int(KIND_BASE[c, 1]) for c in (BOMB, ROCKET))
_ROCKET_MOVE = (_ROCKET << KIND_SHIFT) | JOKERS


class Position(NamedTuple):
    """Everything the rules need, with all cards open; by value, so a copy is free and `step` gives a new one."""

    hand0: int            # hands by seat
    hand1: int
    hand2: int
    kitty: int            # the three cards
    rules: int            # switches of the rule set
    turn: int             # seat to act
    landlord: int         # seat, -1 while bidding
    bid: int              # the highest bid so far
    bidder: int           # who made it, -1 before
    bids: int             # how many seats have bid
    to_beat: int          # kind on the table, 0 when `turn` leads
    passes: int           # passes since it was played
    bombs: int            # bombs and rockets played
    landlord_plays: int   # plays other than pass
    peasant_plays: int
    winner: int           # seat whose hand is empty, -1 before, 3 when all passed the bidding
    calls: int            # what each seat has bid: three bits a seat, the bid plus one, 0 before
    played0: int          # cards played, by seat
    played1: int
    played2: int
    recent: int           # by seat, 9 bits each: the kind it played last, the kind it last passed on; 0 before


@kernel
def size(cards: int) -> int:
    """Number of cards in a hand or a move."""
    low = cards & SUITED
    return count(cards & JOKERS) + count(low & ONES) + 2 * count((low >> 1) & ONES) + 4 * count((low >> 2) & ONES)


@kernel
def contains(hand: int, cards: int) -> bool:
    """Whether every one of `cards` is in `hand`."""
    enough = ((hand & SUITED) | GUARD) - (cards & SUITED)
    return (enough & GUARD) == GUARD and (cards & JOKERS & ~hand) == 0


@kernel
def count_of(hand: int, rank: int) -> int:
    """How many cards of `rank` a hand holds."""
    if rank < 13:
        return (hand >> (4 * rank)) & 7
    return (hand >> (39 + rank)) & 1


@kernel
def hand_of(position: Position, seat: int) -> int:
    """The hand of `seat`."""
    if seat == 0:
        return position.hand0
    if seat == 1:
        return position.hand1
    return position.hand2


@kernel
def _above(rank: int) -> int:
    """One bit a rank for the ranks 0..12 higher than `rank`."""
    return ONES & ~((1 << (4 * (rank + 1))) - 1) if rank < TWO else 0


@kernel
def _emit(out: Moves, n: int, kind: int, unit: int, ranks: int) -> int:
    """Write one move for every rank in the mask: `unit` copies of it."""
    while ranks:
        bit = ranks & -ranks
        ranks ^= bit
        out[n] = ((kind + (lowest(bit) >> 2)) << KIND_SHIFT) | (unit * bit)
        n += 1
    return n


@kernel
def _emit_solos(out: Moves, n: int, hand: int, ranks: int, rank: int) -> int:
    n = _emit(out, n, _SOLO, 1, ranks)
    if hand & BLACK_BIT and rank < BLACK:
        out[n] = ((_SOLO + BLACK) << KIND_SHIFT) | BLACK_BIT
        n += 1
    if hand & RED_BIT and rank < RED:
        out[n] = ((_SOLO + RED) << KIND_SHIFT) | RED_BIT
        n += 1
    return n


@kernel
def _emit_trio_solos(out: Moves, n: int, hand: int, trios: int, ones: int) -> int:
    while trios:
        bit = trios & -trios
        trios ^= bit
        move = ((_TRIO_SOLO + (lowest(bit) >> 2)) << KIND_SHIFT) | (3 * bit)
        kickers = ones & ~bit
        while kickers:
            kicker = kickers & -kickers
            kickers ^= kicker
            out[n] = move | kicker
            n += 1
        if hand & BLACK_BIT:
            out[n] = move | BLACK_BIT
            n += 1
        if hand & RED_BIT:
            out[n] = move | RED_BIT
            n += 1
    return n


@kernel
def _emit_trio_pairs(out: Moves, n: int, trios: int, twos: int) -> int:
    while trios:
        bit = trios & -trios
        trios ^= bit
        move = ((_TRIO_PAIR + (lowest(bit) >> 2)) << KIND_SHIFT) | (3 * bit)
        kickers = twos & ~bit
        while kickers:
            kicker = kickers & -kickers
            kickers ^= kicker
            out[n] = move | (2 * kicker)
            n += 1
    return n


@kernel
def _kickers(out: Moves, n: int, kind: int, main: int, wings: int, unit: int, hand: int, ranks: int, rules: int,
             leading: bool) -> int:
    """Write `main` with every choice of `wings` kickers of `unit` cards (1 solos, 2 pairs) from `ranks`.

    The output doubles as work space: partial choices carry the wings still to fill where the kind will
    stand, every rank extends all of them, and the full ones are kept at the end.
    """
    length = KIND_LENGTH[kind]
    first = KIND_RANK[kind]
    start, end = n, n + 1
    out[n] = (wings << KIND_SHIFT) | main
    while ranks:
        bit = ranks & -ranks
        ranks ^= bit
        rank = lowest(bit) >> 2
        most = 1
        no_trio = False             # three of this rank would be another plane, or the same cards read twice
        if unit == 1 and rules & PAIRED_SOLOS:
            most = min((hand >> (4 * rank)) & 7, 4 if rules & QUAD_KICKERS else 3)
            if length > 1 and rank < TWO:
                no_trio = rank == first + length or (rank == first - 1 and not rules & EXTENDING_TRIOS)
        stop = end
        for i in range(start, stop):
            open_wings = out[i] >> KIND_SHIFT
            for copies in range(1, min(most, open_wings) + 1):
                if copies == 3 and no_trio:
                    continue
                out[end] = out[i] - (copies << KIND_SHIFT) + copies * unit * bit
                end += 1
    if unit == 1:
        for joker in (BLACK_BIT, RED_BIT):
            if hand & joker:
                stop = end
                for i in range(start, stop):
                    if out[i] >> KIND_SHIFT and (rules & BOTH_JOKERS or not out[i] & JOKERS):
                        out[end] = out[i] - (1 << KIND_SHIFT) + joker
                        end += 1
    extended = main | (3 << (4 * (first - 1))) if leading and wings == 3 and length == 3 and first > 0 else -1
    for i in range(start, end):
        if out[i] >> KIND_SHIFT == 0 and out[i] != extended:   # four trios in a row are led as a plane of four
            out[n] = out[i] | (kind << KIND_SHIFT)
            n += 1
    return n


@kernel
def _runs(ranks: int, length: int) -> int:
    """Ranks at which `length` ranks of the mask follow one another."""
    runs = ranks
    for i in range(1, length):
        runs &= ranks >> (4 * i)
    return runs


@kernel
def _emit_main(out: Moves, n: int, hand: int, category: int, length: int, starts: int, ones: int, twos: int, rules: int,
               leading: bool) -> int:
    """Write every chain or quad of `category` and `length` that begins at one of `starts`, with all its kickers."""
    span = ONES & ((1 << (4 * length)) - 1)
    unit = KICKER_UNIT[category]
    while starts:
        bit = starts & -starts
        starts ^= bit
        main = span * COPIES[category] * bit
        kind = KIND_BASE[category, length] + (lowest(bit) >> 2)
        if unit:
            ranks = (ones if unit == 1 else twos) & ~(span * bit)
            n = _kickers(out, n, kind, main, WINGS[category] * length, unit, hand, ranks, rules, leading)
        else:
            out[n] = (kind << KIND_SHIFT) | main
            n += 1
    return n


@kernel
def lead_moves(hand: int, rules: int, out: Moves) -> int:
    """Write every move that may be led from `hand`; returns how many."""
    low = hand & SUITED
    ones = (low | (low >> 1) | (low >> 2)) & ONES
    twos = ((low >> 1) | (low >> 2)) & ONES
    threes = (((low >> 1) & low) | (low >> 2)) & ONES
    fours = (low >> 2) & ONES
    n = _emit_solos(out, 0, hand, ones, -1)
    n = _emit(out, n, _PAIR, 2, twos)
    if threes:
        n = _emit(out, n, _TRIO, 3, threes)
        n = _emit_trio_solos(out, n, hand, threes, ones)
        n = _emit_trio_pairs(out, n, threes, twos)
    if fours:
        n = _emit(out, n, _BOMB, 4, fours)
    # One loop for all chains and quads: a single place where _emit_main is called keeps the compiler quick.
    for copies in range(1, 5):
        main = ones if copies == 1 else twos if copies == 2 else threes if copies == 3 else fours
        if not main:
            break
        shortest = SHORTEST[copies]
        runs = _runs(main & CHAINABLE, shortest - 1) if shortest > 1 else main
        for length in range(shortest, 13):
            if length > 1:
                runs &= (main & CHAINABLE) >> (4 * (length - 1))
            if not runs:
                break
            for choice in range(3):
                category = LEADS[copies, length, choice]
                if category and (copies < 4 or rules & (QUAD_TWO if length == 1 else QUAD_CHAINS)):
                    n = _emit_main(out, n, hand, category, length, runs, ones, twos, rules, True)
    if (hand & JOKERS) == JOKERS:
        out[n] = _ROCKET_MOVE
        n += 1
    return n


@kernel
def beating_moves(hand: int, to_beat: int, rules: int, out: Moves) -> int:
    """Write the pass and every move of `hand` that beats the kind `to_beat`; returns how many."""
    out[0] = 0
    n = 1
    category = KIND_CATEGORY[to_beat]
    if category == ROCKET:
        return n
    rank = KIND_RANK[to_beat]
    length = KIND_LENGTH[to_beat]
    above = _above(rank)
    low = hand & SUITED
    ones = (low | (low >> 1) | (low >> 2)) & ONES
    fours = (low >> 2) & ONES
    if category == SOLO:
        n = _emit_solos(out, n, hand, ones & above, rank)
    elif category == BOMB:
        fours &= above
    else:
        twos = ((low >> 1) | (low >> 2)) & ONES
        threes = (((low >> 1) & low) | (low >> 2)) & ONES
        if category == PAIR:
            n = _emit(out, n, _PAIR, 2, twos & above)
        elif category == TRIO:
            n = _emit(out, n, _TRIO, 3, threes & above)
        elif category == TRIO_SOLO:
            n = _emit_trio_solos(out, n, hand, threes & above, ones)
        elif category == TRIO_PAIR:
            n = _emit_trio_pairs(out, n, threes & above, twos)
        else:
            copies = COPIES[category]
            main = ones if copies == 1 else twos if copies == 2 else threes if copies == 3 else fours
            starts = (_runs(main & CHAINABLE, length) if length > 1 else main) & above
            if starts:
                n = _emit_main(out, n, hand, category, length, starts, ones, twos, rules, False)
    if fours:
        n = _emit(out, n, _BOMB, 4, fours)
    if (hand & JOKERS) == JOKERS:
        out[n] = _ROCKET_MOVE
        n += 1
    return n


@kernel
def legal(position: Position, out: Moves) -> int:
    """Write the legal actions, bids 0..3 or moves; returns how many, 0 when the game is over."""
    if position.winner >= 0:
        return 0
    if position.landlord < 0:
        out[0] = 0
        n = 1
        for bid in range(position.bid + 1, 4):
            out[n] = bid
            n += 1
        return n
    hand = hand_of(position, position.turn)
    if position.to_beat == 0:
        return lead_moves(hand, position.rules, out)
    return beating_moves(hand, position.to_beat, position.rules, out)


@kernel
def start(hand0: int, hand1: int, hand2: int, kitty: int, rules: int, turn: int, landlord: int) -> Position:
    """A fresh game; with `landlord` given (its hand already holds the three cards) play begins at once."""
    return Position(hand0, hand1, hand2, kitty, rules, turn, landlord, 0, -1, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0)


@kernel
def step(position: Position, action: int) -> Position:
    """The position after a legal action."""
    if position.landlord < 0:
        return _bid(position, action)
    return _play(position, action)


@kernel
def _bid(p: Position, bid: int) -> Position:
    highest, bidder = (bid, p.turn) if bid > p.bid else (p.bid, p.bidder)
    bids = p.bids + 1
    calls = p.calls | (bid + 1) << 3 * p.turn
    turn = (p.turn + 1) % 3
    if bids < 3 and bid < 3:
        return Position(p.hand0, p.hand1, p.hand2, p.kitty, p.rules, turn, -1, highest, bidder, bids, 0, 0, 0, 0, 0, -1,
                        calls, 0, 0, 0, 0)
    landlord = bidder
    if bidder < 0:
        if not p.rules & FORCED_LANDLORD:
            return Position(p.hand0, p.hand1, p.hand2, p.kitty, p.rules, turn, -1, 0, -1, bids, 0, 0, 0, 0, 0, 3, calls, 0,
                            0, 0, 0)
        landlord = 0
    hand0 = p.hand0 + p.kitty if landlord == 0 else p.hand0
    hand1 = p.hand1 + p.kitty if landlord == 1 else p.hand1
    hand2 = p.hand2 + p.kitty if landlord == 2 else p.hand2
    return Position(hand0, hand1, hand2, p.kitty, p.rules, landlord, landlord, highest, bidder, bids, 0, 0, 0, 0, 0, -1,
                    calls, 0, 0, 0, 0)


@kernel
def recent_kind(position: Position, seat: int, what: int) -> int:
    """What a seat last did, `what` being PLAYED or REFUSED: a kind, 0 before."""
    return (position.recent >> (18 * seat + what)) & 511


@kernel
def _noted(p: Position, what: int, kind: int) -> int:
    """The `recent` after the seat to act played or passed on a kind."""
    shift = 18 * p.turn + what
    return p.recent & ~(511 << shift) | kind << shift


@kernel
def _play(p: Position, move: int) -> Position:
    turn = p.turn + 1 if p.turn < 2 else 0
    if move == 0:
        passes = p.passes + 1
        to_beat = p.to_beat
        if passes == 2:
            passes = 0
            to_beat = 0
        return Position(p.hand0, p.hand1, p.hand2, p.kitty, p.rules, turn, p.landlord, p.bid, p.bidder, p.bids, to_beat,
                        passes, p.bombs, p.landlord_plays, p.peasant_plays, -1, p.calls, p.played0, p.played1, p.played2,
                        _noted(p, REFUSED, p.to_beat))
    kind = move >> KIND_SHIFT
    cards = move & CARDS
    hand0, hand1, hand2 = p.hand0, p.hand1, p.hand2
    played0, played1, played2 = p.played0, p.played1, p.played2
    if p.turn == 0:
        hand0 -= cards
        played0 += cards
        left = hand0
    elif p.turn == 1:
        hand1 -= cards
        played1 += cards
        left = hand1
    else:
        hand2 -= cards
        played2 += cards
        left = hand2
    bombs = p.bombs + 1 if _BOMB <= kind <= _ROCKET else p.bombs
    landlord_plays, peasant_plays = p.landlord_plays, p.peasant_plays
    if p.turn == p.landlord:
        landlord_plays += 1
    else:
        peasant_plays += 1
    winner = p.turn if left == 0 else -1
    return Position(hand0, hand1, hand2, p.kitty, p.rules, turn, p.landlord, p.bid, p.bidder, p.bids, kind, 0, bombs,
                    landlord_plays, peasant_plays, winner, p.calls, played0, played1, played2, _noted(p, PLAYED, kind))


@kernel
def doublings(position: Position, spring: bool) -> int:
    """How often the stake doubled: bombs and rockets, and spring or anti-spring where it counts."""
    n = position.bombs
    if spring:
        if position.winner == position.landlord:
            if position.peasant_plays == 0:
                n += 1
        elif position.landlord_plays == 1:
            n += 1
    return n


@kernel
def payoff(position: Position) -> int:
    """The landlord's points by the rule set; 0 before the end and for a draw. Each peasant loses its half."""
    if position.winner < 0 or position.winner == 3:
        return 0
    rules = position.rules
    stake = max(position.bid, 1) if rules & BID_STAKE else 1
    if rules & BOMBS_DOUBLE:
        stake <<= doublings(position, rules & SPRING_DOUBLES != 0)
    if rules & LANDLORD_TWICE:
        stake *= 2
    return stake if position.winner == position.landlord else -stake


@kernel
def shuffle(deck: npt.NDArray[np.int64], rng: Stream) -> None:
    """Shuffle `deck` in place (Fisher-Yates)."""
    for i in range(deck.size - 1, 0, -1):
        j = below(rng, i + 1)
        deck[i], deck[j] = deck[j], deck[i]


@kernel
def full_deck() -> npt.NDArray[np.int64]:
    """The 54 cards as one-card hands, in rank order."""
    deck = np.empty(54, np.int64)
    for rank in range(13):
        for copy in range(4):
            deck[4 * rank + copy] = 1 << (4 * rank)
    deck[52] = BLACK_BIT
    deck[53] = RED_BIT
    return deck


@kernel
def deal(deck: npt.NDArray[np.int64], rules: int, landlord: int, first: int, rng: Stream) -> Position:
    """Shuffle `deck` in place and deal 17 each and three; a given `landlord` takes the three at once."""
    shuffle(deck, rng)
    hand0, hand1, hand2 = 0, 0, 0
    for i in range(17):
        hand0 += deck[i]
        hand1 += deck[17 + i]
        hand2 += deck[34 + i]
    kitty = deck[51] + deck[52] + deck[53]
    if landlord == 0:
        hand0 += kitty
    elif landlord == 1:
        hand1 += kitty
    elif landlord == 2:
        hand2 += kitty
    return start(hand0, hand1, hand2, kitty, rules, first, landlord)


@kernel
def random_playout(position: Position, rng: Stream, out: Moves) -> Position:
    """Play to the end, every action uniformly at random among the legal ones."""
    while position.winner < 0:
        n = legal(position, out)
        action = out[below(rng, n)] if n > 1 else out[0]
        position = step(position, action)
    return position


@kernel
def random_games(games: int, rules: int, rng: Stream) -> int:
    """Deal, bid and play `games` full random games; returns the landlord's points, summed."""
    deck = full_deck()
    out = np.empty(MAX_MOVES, np.int64)
    total = 0
    for _ in range(games):
        total += payoff(random_playout(deal(deck, rules, -1, below(rng, 3), rng), rng, out))
    return total


@kernel
def perft(position: Position, depth: int, out: npt.NDArray[np.int64]) -> int:
    """Number of action sequences of `depth` (or ending earlier) from here; `out` is [depth + 1, MAX_MOVES]."""
    if depth == 0 or position.winner >= 0:
        return 1
    n = legal(position, out[depth])
    if depth == 1:
        return n
    nodes = 0
    for i in range(n):
        nodes += perft(step(position, out[depth, i]), depth - 1, out)
    return nodes


# --- the fewest plays that empty a hand (PerfectDou's distance to win) --------------------------------------------

@kernel
def _slot(hand: int, table: npt.NDArray[np.int64]) -> int:
    """Where `hand` is kept in the table of (hand, plays) rows: its own row or the one it may take."""
    mask = table.shape[0] - 1
    h = (hand & 0x7FFFFFF) * 0x2545F491 + (hand >> 27) * 0x1B873593  # stays below 2^63
    first = (h ^ (h >> 23)) & mask
    for probe in range(8):
        i = (first + probe) & mask
        if table[i, 0] == hand or table[i, 0] == 0:
            return i
    return first


@kernel
def min_plays(hand: int, rules: int, table: npt.NDArray[np.int64], out: Moves) -> int:
    """The fewest moves that empty `hand` when nobody answers, exactly.

    `table` is int64 [power of two, 2], zeros at first, and belongs to one rule set: it keeps what was
    found. `out` needs 24 x MAX_MOVES of room.
    """
    if hand == 0:
        return 0
    i = _slot(hand, table)
    if table[i, 0] == hand:
        return table[i, 1]
    n = lead_moves(hand, rules, out)
    best = size(hand)
    for i in range(n):
        if (out[i] & CARDS) == hand:
            best = 1
    # Moves that together empty a hand may be played in any order, so some move holding the lowest card
    # may come first: only those are tried.
    first = lowest(hand)
    pivot = 7 << (first & ~3) if first < 52 else hand & -hand
    for i in range(n):
        if best <= 2:
            break
        if out[i] & pivot & CARDS:
            best = min(best, 1 + min_plays(hand - (out[i] & CARDS), rules, table, out[n:]))
    i = _slot(hand, table)
    table[i, 0] = hand
    table[i, 1] = best
    return best
