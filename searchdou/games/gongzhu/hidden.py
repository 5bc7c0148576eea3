"""What a seat of Gongzhu cannot see, for `inference`: voids, hand sizes, key cards, the past as actions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inference.hidden import Hidden, Impossible, Kind
from inference.past import Past
from searchdou.errors import BadInfoSet
from searchdou.games.gongzhu import _kernels
from searchdou.games.gongzhu._search_kernels import class_of
from searchdou.games.gongzhu.cards import MOVES
from searchdou.games.gongzhu.infoset import SEATS, InfoSet

# Which unseen cards matter most, by the led suit or when leading (ScrofaZero's own order of priority).
_BY_LED = {"S": ("SQ", "SA", "SK"), "H": ("HA", "HK", "HQ"), "D": ("DJ", "DA", "DK"), "C": ("C10", "CA", "CK")}
KEY_CARDS = 3
Ints = npt.NDArray[np.int64]


def hidden_of(infoset: InfoSet) -> Hidden:
    """The unseen cards of the three other hands, by suit; places are `seat 1`, ... in order of play after the seat."""
    others = [(infoset.seat + 1 + place) % SEATS for place in range(3)]
    kinds: list[Kind] = []
    groups: list[tuple[int, ...]] = []
    allowed: list[int] = []
    for suit in range(4):
        mask = infoset.packed_unseen & (_kernels.SUIT << (_kernels.RANKS * suit))
        cards = [card for card in range(52) if mask >> card & 1]
        groups.append(tuple(range(len(kinds), len(kinds) + len(cards))))
        kinds += [Kind(str(MOVES[card]), card, 1, 1) for card in cards]
        allowed.append(sum(1 << place for place, seat in enumerate(others)
                           if not infoset.packed_voids[seat] >> (_kernels.RANKS * suit) & 1))
    labels = [kind.label for kind in kinds]
    try:
        hidden = Hidden(tuple(kinds), tuple(groups), tuple(allowed), tuple(infoset.cards_left[seat] for seat in others),
                        tuple(f"seat {seat}" for seat in others), (0, 0, 0),
                        tuple(labels.index(card) for card in key_cards(infoset) if card in labels)[:KEY_CARDS])
        if hidden.count == 0:
            raise Impossible("no deal fits")
    except Impossible as error:
        raise BadInfoSet(f"no hidden hands fit this position: {error}") from None
    return hidden


def key_cards(infoset: InfoSet) -> list[str]:
    """The cards worth a stratum each, most important first; only those unseen count."""
    if infoset.led:
        first = _BY_LED[infoset.led]
        return [*first, *(card for suit in "SDHC" if suit != infoset.led for card in _BY_LED[suit][:1])]
    out = infoset.packed_unseen | infoset.packed_hand
    order: list[str] = []
    if out & _kernels.PIG:
        order += _BY_LED["S"]
    if out & _kernels.SHEEP:
        order += _BY_LED["D"]
    return order + list(_BY_LED["H"]) + list(_BY_LED["C"])


def seat_hands(infoset: InfoSet, deals: Ints) -> Ints:
    """Deals by place, [n, 3], as hands by seat, [n, 4], with the observer's own hand among them."""
    hands = np.empty((len(deals), SEATS), np.int64)
    hands[:, infoset.seat] = infoset.packed_hand
    for place in range(3):
        hands[:, (infoset.seat + 1 + place) % SEATS] = deals[:, place]
    return hands


def past_of(infoset: InfoSet) -> Past:
    """What the others did, for weighing: every card another seat played (8.12 would pick some; `slices` does)."""
    actions = np.array([move.card for _, move in infoset.history], np.int64)
    acted = np.array([seat != infoset.seat for seat, _ in infoset.history], bool)
    return Past(_kernels.start(0, 0, 0, 0, infoset.first), actions, acted, np.array(infoset.packed_played, np.int64))


def twins(infoset: InfoSet) -> dict[int, int]:
    """For every legal card the lowest one it is as good as: nobody else's card lies between them, and they score alike."""
    others = infoset.packed_unseen | sum(1 << move.card for _, move in infoset.trick)
    same: dict[int, int] = {}
    last = -1
    for card in (card for card in range(52) if infoset.packed_legal >> card & 1):
        between = others >> (last + 1) & ((1 << card - last - 1) - 1)
        same_suit = last >= 0 and last // _kernels.RANKS == card // _kernels.RANKS
        same[card] = same[last] if same_suit and not between and class_of(last) == class_of(card) else card
        last = card
    return same
