"""`Belief`: weighted deals and what they say about every hidden card."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from inference._math_kernels import normalise
from inference.hidden import Hidden

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FLOOR = 1e-4     # a sample's weight relative to the largest is never below this: no deal is ever ruled out


def weights_of(log_weights: Floats) -> Floats:
    """Weights that sum to 1 from log scores, none below FLOOR of the largest."""
    weights: Floats = normalise(np.ascontiguousarray(log_weights, np.float64), FLOOR)
    return weights


@dataclass(frozen=True, eq=False)
class Belief:
    """Deals with weights: effective sample size, marginals, entropy."""

    hidden: Hidden
    hands: Ints          # [samples, places] packed
    weights: Floats      # [samples], sums to 1
    exact: bool = False  # the samples are all deals there are

    @property
    def ess(self) -> float:
        """Effective sample size, 1 / sum w^2."""
        return float(1.0 / np.square(self.weights).sum())

    @cached_property
    def marginals(self) -> Floats:
        """P(a given card of the kind lies at the place), [kinds, places]; rows sum to 1."""
        rows = []
        for kind in self.hidden.kinds:
            held = (self.hands >> kind.shift) & kind.mask
            known = np.array([(fixed >> kind.shift) & kind.mask for fixed in (*self.hidden.fixed, 0, 0, 0)][:held.shape[1]])
            rows.append((self.weights[:, None] * (held - known)).sum(axis=0) / max(1, kind.copies))
        return np.array(rows)

    def probability(self, label: str, place: str) -> float:
        """P(a given card called `label` lies at `place`)."""
        kind = next(i for i, kind in enumerate(self.hidden.kinds) if kind.label == label)
        return float(self.marginals[kind, self.hidden.places.index(place)])

    @property
    def entropy(self) -> float:
        """Mean entropy of a hidden card's place, in nats."""
        copies = np.array([kind.copies for kind in self.hidden.kinds])
        p = np.clip(self.marginals, 1e-300, 1.0)
        return float((copies * -(p * np.log(p)).sum(axis=1)).sum() / max(1, copies.sum()))

    def log_loss(self, truth: Ints) -> float:
        """-log of the probability the marginals gave to where every card was, mean over cards; lower is better.

        `truth` holds the packed hands, [places]. Marginals are smoothed by one uniform sample in ess + 1.
        """
        room = np.array(self.hidden.capacity) / max(1, sum(self.hidden.capacity))
        smooth = (self.ess * self.marginals + room) / (self.ess + 1.0)
        loss = cards = 0.0
        for i, kind in enumerate(self.hidden.kinds):
            for place, hand in enumerate(truth):
                known = (self.hidden.fixed[place] >> kind.shift) & kind.mask if self.hidden.fixed else 0
                held = ((int(hand) >> kind.shift) & kind.mask) - known
                loss -= held * np.log(max(smooth[i, place], 1e-12))
                cards += held
        return float(loss / max(1.0, cards))
