"""`Past`: what has been done so far, as the weighing of deals replays it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inference import _weigh_kernels as kernels
from inference._game_kernels import has_habits

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

RULES = {"iec": kernels.IEC, "bayes": kernels.BAYES, "linear": kernels.LINEAR, "quantal": kernels.QUANTAL}


class Past(NamedTuple):
    """The first state (hands are ignored), all actions since, which are of others, and what hands held then."""

    start: Any
    actions: Ints        # [T]
    others: Any          # bool [T]: made by another seat, so they tell something
    offset: Ints         # [seats] packed: cards every seat held at the start on top of what it holds now

    def important(self, slices: int | None = None) -> Ints:
        """Which actions are weighed: the last `slices` of the others', all when None."""
        chosen = np.array(self.others, np.int64)
        if slices is not None:
            told = np.flatnonzero(chosen)
            chosen[told[:max(0, len(told) - slices)]] = 0
        return chosen


def log_weights(past: Past, hands: Ints, policy: Any, *, rule: str = "iec", beta: float = 0.02, slices: int | None = None,
                most_moves: int = 64, habit: float = 0.0, careless: float = 0.0, simple: Floats | None = None) -> Floats:
    """Log score of every deal, hands [deals, seats]; see `_weigh_kernels.weigh`.

    With quantal a seat is a player of habits with probability `habit` beforehand, and careless with probability `careless`;
    what that is once it has acted goes into `simple` [deals, 2, seats].
    """
    scores = np.zeros(len(hands))
    simple = np.empty((len(hands), 2, hands.shape[1])) if simple is None else simple
    habit = habit if rule == "quantal" and has_habits(policy) else 0.0
    simple[:, 0], simple[:, 1] = habit, (1.0 - habit) * careless if rule == "quantal" else 0.0
    important = past.important(slices)
    if important.any():
        last = int(np.flatnonzero(important)[-1]) + 1
        kernels.weigh(past.start, past.actions[:last], important[:last], hands, past.offset, policy, beta, RULES[rule],
                      np.empty(most_moves, np.int64), np.empty(most_moves), scores, habit, careless, simple)
    return scores
