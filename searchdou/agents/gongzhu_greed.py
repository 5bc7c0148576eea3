"""`greed`: Mr. Greed of the ScrofaZero paper, one trick ahead over sampled hands (8.2)."""

from __future__ import annotations

import numpy as np

from inference._rng_kernels import stream
from searchdou.agents import _gongzhu_kernels as kernels
from searchdou.errors import SearchDouError
from searchdou.games.gongzhu import InfoSet, Move


class GreedPlayer:
    """Maximises the points of the trick and the worth of the cards it costs, on average over `samples` deals."""

    def __init__(self, samples: int = 20, seed: int = 0) -> None:
        if samples < 1:
            raise SearchDouError(f"greed needs at least one sample, not {samples}")
        self.samples, self.seed = samples, seed
        self._values = np.empty(52)

    def act(self, infoset: InfoSet) -> Move:
        legal = kernels.greed_values(
            infoset.seen_position(), infoset.seat, np.array(infoset.packed_voids), np.array(infoset.cards_left),
            self.samples, stream(self.seed, infoset.key), self._values)
        return max((Move(card) for card in range(52) if legal >> card & 1), key=lambda move: self._values[move.card])
