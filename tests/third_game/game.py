"""What one seat of One Against Two knows, in the words of `inference`."""

from typing import NamedTuple

import numpy as np

from inference.hidden import Hidden, Kind
from inference.past import Past

from ._kernels import CARDS, RANKS, SEATS, State, step

START = State(0, -1, 0, 0, 0, 0)       # hands are filled in by `with_hands`


class InfoSet(NamedTuple):
    """All that `seat` may know at its turn."""
    seat: int
    hand: int                          # the cards it still holds, as a mask
    history: tuple[int, ...] = ()      # the cards all have played


def replay(infoset):
    """The state without hands, the past for weighing deals by, and the suits each seat has shown it does not hold."""
    state, by_others, played, lacks = START, [], np.zeros(SEATS, np.int64), np.zeros(SEATS, np.int64)
    for card in infoset.history:
        if state.best >= 0 and card // RANKS != state.best // RANKS:
            lacks[state.turn] |= 1 << (state.best // RANKS)
        played[state.turn] |= 1 << card
        by_others.append(state.turn != infoset.seat)
        state = step(state, card)
    return state, Past(START, np.array(infoset.history, np.int64), np.array(by_others, bool), played), lacks


def hidden_of(infoset):
    _, past, lacks = replay(infoset)
    cards = [card for card in range(CARDS) if not (infoset.hand | past.offset.sum()) >> card & 1]
    others = [(infoset.seat + 1) % SEATS, (infoset.seat + 2) % SEATS]
    return Hidden(
        kinds=tuple(Kind(f"{'abc'[card // RANKS]}{card % RANKS + 1}", shift=card, mask=1, copies=1) for card in cards),
        groups=tuple(tuple(i for i, card in enumerate(cards) if card // RANKS == suit) for suit in range(3)),
        allowed=tuple(sum((~lacks[seat] >> suit & 1) << place for place, seat in enumerate(others)) for suit in range(3)),
        capacity=tuple(CARDS // SEATS - int(past.offset[seat]).bit_count() for seat in others),
        places=tuple(f"seat {seat}" for seat in others),
        key_kinds=tuple(i for i, card in enumerate(cards) if card % RANKS == RANKS - 1))


def seat_hands(infoset, deals):
    return np.roll(np.insert(deals, 0, infoset.hand, axis=1), infoset.seat, axis=1)      # places follow the seat
