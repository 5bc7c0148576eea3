"""A player of habits: beats whatever it can as low as it can, its partner's moves too, and leads its lowest cards.

Beginners and simple programs play so. The nets, which learn from players who plan, take such moves for random ones; a search
that knows the habit reads from them what such a player holds, and foresees what it will do.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inference.kernel import kernel
from searchdou.games.doudizhu._kernels import (
    CARDS,
    CHAIN_PAIR,
    CHAIN_SOLO,
    KICKER_UNIT,
    KIND_CATEGORY,
    KIND_RANK,
    KIND_SHIFT,
    PLANE,
    Position,
    count_of,
    hand_of,
)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

HIGHER = 0.1        # of an answer that is not the lowest there is, beside one that is
SUDDEN = 0.5        # of a bomb where nothing of the kind led can be played, beside passing
TORN = 0.1          # of a lead that leaves cards of the lowest rank behind, beside one that takes them all
LONG = 4.0          # of a chain or a plane, beside a lead of one rank
RIDING = 0.3        # of a lead with kickers, beside one without
AS_KICKER = 0.05    # of a lead in which the lowest rank rides along


@kernel
def eager_odds(position: Position, actions: Ints, n: int, odds: Floats) -> None:
    """How likely each of the n legal actions is, in any unit; never all zero."""
    if position.landlord < 0:
        odds[:n] = 1.0
    elif position.to_beat == 0:
        _leads(hand_of(position, position.turn), actions, n, odds)
    else:
        _answers(KIND_CATEGORY[position.to_beat], actions, n, odds)


@kernel
def _answers(category: int, actions: Ints, n: int, odds: Floats) -> None:
    lowest = 99
    for i in range(n):
        kind = actions[i] >> KIND_SHIFT
        if actions[i] and KIND_CATEGORY[kind] == category:
            lowest = min(lowest, KIND_RANK[kind])
    for i in range(n):
        kind = actions[i] >> KIND_SHIFT
        if lowest == 99:
            odds[i] = SUDDEN if actions[i] else 1.0
        elif actions[i] and KIND_CATEGORY[kind] == category:
            odds[i] = 1.0 if KIND_RANK[kind] == lowest else HIGHER
        else:
            odds[i] = 0.0


@kernel
def _leads(hand: int, actions: Ints, n: int, odds: Floats) -> None:
    lowest = 0
    while count_of(hand, lowest) == 0:
        lowest += 1
    held = count_of(hand, lowest)
    for i in range(n):
        kind = actions[i] >> KIND_SHIFT
        taken = count_of(actions[i] & CARDS, lowest)
        odds[i] = 0.0
        if taken:
            category = KIND_CATEGORY[kind]
            odds[i] = 1.0 if KIND_RANK[kind] == lowest else AS_KICKER
            if taken < held:
                odds[i] *= TORN
            if category == CHAIN_SOLO or category == CHAIN_PAIR or category == PLANE:
                odds[i] *= LONG
            if KICKER_UNIT[category]:
                odds[i] *= RIDING
