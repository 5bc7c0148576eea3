"""What a seat of DouDizhu cannot see, for `inference`: hand sizes, public cards, the past as actions."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from inference._math_kernels import log
from inference.hidden import Hidden, Impossible, Kind
from inference.past import Past
from searchdou.errors import BadInfoSet
from searchdou.games.doudizhu import _kernels, _search_kernels
from searchdou.games.doudizhu.cards import RANKS, pack, unpack
from searchdou.games.doudizhu.infoset import InfoSet

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
KITTY = 3          # where the three cards stand among the hands


def public_left(infoset: InfoSet) -> int:
    """The public cards the landlord must still hold, packed.

    A public 3 and any other 3 are alike, so the landlord's first play of a 3 may as well be the public one.
    """
    if infoset.landlord is None:
        return 0
    played = unpack(infoset.packed_played[infoset.landlord])
    return pack("".join(char * max(0, infoset.public.count(char) - played.count(char)) for char in RANKS))


def places_of(infoset: InfoSet) -> list[int]:
    """The hidden hands by seat, in order after the seat; while bidding the kitty too."""
    others = [(infoset.seat + 1) % 3, (infoset.seat + 2) % 3]
    return [*others, KITTY] if infoset.landlord is None else others


def hidden_of(infoset: InfoSet) -> Hidden:
    """The unseen cards by rank; every rank may lie in any hidden hand."""
    places = places_of(infoset)
    known = public_left(infoset) if infoset.landlord != infoset.seat else 0
    loose = infoset.packed_unseen - known
    kinds: list[Kind] = []
    keys: list[int] = []
    for i, char in enumerate(RANKS):
        shift, mask = (4 * i, 7) if i < 13 else (39 + i, 1)
        copies = (loose >> shift) & mask
        if copies:
            if char in "BR" or (char == "2" and copies <= 2):
                keys.append(len(kinds))
            kinds.append(Kind(char, shift, mask, copies))
    left = [3 if place == KITTY else infoset.cards_left[place] for place in places]
    fixed = [known if place == infoset.landlord else 0 for place in places]
    capacity = [n - int(_kernels.size(cards)) for n, cards in zip(left, fixed, strict=True)]
    names = ["kitty" if place == KITTY else infoset.role_of(place) or f"seat {place}" for place in places]
    try:
        return Hidden(tuple(kinds), (tuple(range(len(kinds))),), ((1 << len(places)) - 1,), tuple(capacity), tuple(names),
                      tuple(fixed), tuple(keys))
    except Impossible as error:
        raise BadInfoSet(f"no hidden hands fit this position: {error}") from None


def seat_hands(infoset: InfoSet, deals: Ints) -> Ints:
    """Deals by place, [n, places], as hands by seat and the kitty, [n, 4], the observer's own hand among them."""
    hands = np.empty((len(deals), 4), np.int64)
    hands[:, infoset.seat] = infoset.packed_hand
    hands[:, KITTY] = pack(infoset.public)
    for column, place in enumerate(places_of(infoset)):
        hands[:, place] = deals[:, column]
    return hands


def view_of(infoset: InfoSet) -> _kernels.Position:
    """The position with the other hands left empty."""
    hands = [infoset.packed_hand if seat == infoset.seat else 0 for seat in range(3)]
    plays = [sum(bool(move) for seat, move in infoset.history if (seat == infoset.landlord) == landlord)
             for landlord in (True, False)]
    passes = 0
    while passes < len(infoset.history) and not infoset.history[-1 - passes][1]:
        passes += 1
    bidder = -1
    for i, bid in enumerate(infoset.bids):
        if bid and bid == infoset.bid:
            bidder = (infoset.first + i) % 3
    return _kernels.Position(
        hands[0], hands[1], hands[2], pack(infoset.public), infoset.rules.switches, infoset.turn,
        -1 if infoset.landlord is None else infoset.landlord, infoset.bid, bidder, len(infoset.bids),
        infoset.to_beat.packed >> _kernels.KIND_SHIFT, passes if infoset.to_beat else 0, infoset.bombs, plays[0], plays[1],
        -1, sum((bid + 1) << 3 * ((infoset.first + i) % 3) for i, bid in enumerate(infoset.bids)), *infoset.packed_played,
        _recent(infoset))


def _recent(infoset: InfoSet) -> int:
    """What each seat played last and last passed on, as `Position.recent` keeps it."""
    kept, table = 0, 0
    for seat, move in infoset.history:
        what, table = (_kernels.PLAYED, move.packed >> _kernels.KIND_SHIFT) if move else (_kernels.REFUSED, table)
        shift = 18 * seat + what
        kept = kept & ~(511 << shift) | table << shift
    return kept


def stake_of(infoset: InfoSet) -> float:
    """The points of one stake before bombs doubled it."""
    bombs = infoset.bombs if infoset.rules.bombs_double else 0
    return float(_search_kernels.scale(view_of(infoset)) >> bombs)


def past_of(infoset: InfoSet) -> Past:
    """What the others did, bids included, for weighing."""
    offset = np.array([*infoset.packed_played, 0], np.int64)
    if infoset.landlord is not None and infoset.bids:
        offset[infoset.landlord] -= pack(infoset.public)       # before the bidding ended the three cards lay apart
    begin = infoset.first if infoset.bids or infoset.landlord is None else infoset.landlord
    start = _kernels.start(0, 0, 0, 0, infoset.rules.switches, begin,
                           -1 if infoset.bids or infoset.landlord is None else infoset.landlord)
    seats = [(infoset.first + i) % 3 for i in range(len(infoset.bids))] + [seat for seat, _ in infoset.history]
    actions = [*infoset.bids, *(move.packed for _, move in infoset.history)]
    return Past(start, np.array(actions, np.int64), np.array([seat != infoset.seat for seat in seats], bool), offset)


_LOG_FACTORIAL = np.array([log(math.factorial(n)) for n in range(8)])


def copies_log_weight(infoset: InfoSet, hands: Ints) -> Floats:
    """Log weight of deals [n, 4] for which of several equal cards was played: nobody sees it, so it is a choice too.

    A seat that was dealt k cards of a rank and has played some could have played any of them; deals in which it holds
    fewer now fit what was seen in fewer ways of dealing (restricted choice, as bridge players say): a deal's weight
    is the product of now! / dealt! over hidden hands and ranks, public cards set apart.
    """
    total = np.zeros(len(hands))
    for seat in range(3):
        if seat != infoset.seat:
            public, kept = (pack(infoset.public), public_left(infoset)) if seat == infoset.landlord else (0, 0)
            held = _counts(hands[:, seat])
            now, dealt = held - _counts(kept), held + _counts(infoset.packed_played[seat]) - _counts(public)
            total += (_LOG_FACTORIAL[now] - _LOG_FACTORIAL[dealt]).sum(axis=-1)
    return total


def _counts(packed: int | Ints) -> Ints:
    """Cards of each of the 13 suited ranks, [..., 13]."""
    return np.stack([np.asarray(packed) >> (4 * rank) & 7 for rank in range(13)], axis=-1)


__all__ = ["copies_log_weight", "hidden_of", "past_of", "public_left", "seat_hands", "stake_of", "view_of"]
