"""DouDizhu for the generic search: sides, the solver's moves and keys.

Side 0 is the landlord; while bidding, nobody is on it yet and the highest bidder so far counts as it.
Hands are given by seat, and the kitty as a fourth.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import numpy.typing as npt

from inference._bits_kernels import mix
from inference._game_kernels import register
from inference.kernel import kernel
from searchdou.games.doudizhu._kernels import (
    BID_STAKE,
    BOMBS_DOUBLE,
    KIND_SHIFT,
    LANDLORD_TWICE,
    SPRING_DOUBLES,
    Position,
    beating_moves,
    hand_of,
    lead_moves,
    legal,
    payoff,
    size,
    step,
)

Ints = npt.NDArray[np.int64]


@kernel
def turn(position: Position) -> int:
    """The seat to act."""
    return position.turn


@kernel
def side(position: Position) -> int:
    """0 when the landlord is to act, else 1."""
    return 0 if position.turn == position.landlord else 1


@kernel
def over(position: Position) -> bool:
    """Whether a hand is empty, or all have passed the bidding."""
    return position.winner >= 0


@kernel
def points(position: Position) -> float:
    """The landlord's points."""
    return float(payoff(position))


@kernel
def cards_left(position: Position) -> int:
    """Cards still in the three hands; a full deck while bidding."""
    if position.landlord < 0:
        return 54
    return size(position.hand0) + size(position.hand1) + size(position.hand2)


@kernel
def with_hands(position: Position, hands: Ints) -> Position:
    """`position` with the hands of the seats and the kitty (hands[3]) replaced."""
    p = position
    return Position(hands[0], hands[1], hands[2], hands[3], p.rules, p.turn, p.landlord, p.bid, p.bidder, p.bids, p.to_beat,
                    p.passes, p.bombs, p.landlord_plays, p.peasant_plays, p.winner, p.calls, p.played0, p.played1, p.played2,
                    p.recent)


# --- the exact solver ----------------------------------------------------------------------------------------------

@kernel
def settled(position: Position) -> int:
    """The final points once the game is over; nothing is won before."""
    return payoff(position)


@kernel
def scale(position: Position) -> int:
    """The stake as it stands: what is still to come is counted in it, so that bombs played before do not matter."""
    if position.winner >= 0:
        return 1
    stake = max(position.bid, 1) if position.rules & BID_STAKE else 1
    if position.rules & BOMBS_DOUBLE:
        stake <<= position.bombs
    return stake * 2 if position.rules & LANDLORD_TWICE else stake


@kernel
def moves(position: Position, out: Ints) -> int:
    """Legal moves, most cards first; the pass last, unless the partner's move is on the table."""
    hand = hand_of(position, position.turn)
    if position.to_beat == 0:
        n = lead_moves(hand, position.rules, out)
        _most_cards_first(out, 0, n)
        return n
    n = beating_moves(hand, position.to_beat, position.rules, out)
    owner = (position.turn + 2 - position.passes) % 3
    if owner == position.landlord or position.turn == position.landlord:
        for i in range(1, n):
            out[i - 1] = out[i]
        out[n - 1] = 0
    return n


@kernel
def _most_cards_first(out: Ints, first: int, n: int) -> None:
    """Insertion sort by number of cards, stable, downwards."""
    for i in range(first + 1, n):
        move = out[i]
        cards = size(move & ((1 << KIND_SHIFT) - 1))
        j = i
        while j > first and size(out[j - 1] & ((1 << KIND_SHIFT) - 1)) < cards:
            out[j] = out[j - 1]
            j -= 1
        out[j] = move


@kernel
def key(position: Position) -> tuple[int, int]:
    """Hands, the move to beat, whose turn it is, the rules; and whether spring is still possible where it counts."""
    p = position
    past = (((p.rules * 1024 + p.to_beat) * 4 + p.passes) * 4 + p.turn) * 4 + p.landlord
    if p.rules & SPRING_DOUBLES:
        past = past * 8 + min(p.landlord_plays, 2) * 2 + min(p.peasant_plays, 1)
    a = mix(p.hand0 ^ mix(p.hand1 ^ mix(p.hand2 + past, 0x2545F4914F6CDD1D), 0x1B03738712FAD5C9), 0x369DEA0F31A53F85)
    b = mix(p.hand2 ^ mix(p.hand0 ^ mix(p.hand1 + past, 0x27BB2EE687B0B0FD), 0x5851F42D4C957F2D), 0x106689D45497FDB5)
    return a | 1, b


register(Position, SimpleNamespace(legal=legal, step=step, turn=turn, side=side, over=over, points=points,
                                   cards_left=cards_left, with_hands=with_hands, moves=moves, key=key, settled=settled,
                                   scale=scale))
