"""`Belief`: weighted deals and what they say about every hidden card."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from inference._math_kernels import log, normalise
from inference.hidden import Hidden

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FLOOR = 1e-4     # a sample's weight relative to the largest is never below this: no deal is ever ruled out


def weights_of(log_weights: Floats) -> Floats:
    """Weights that sum to 1 from log scores, none below FLOOR of the largest."""
    weights: Floats = normalise(np.ascontiguousarray(log_weights, np.float64), FLOOR)
    return weights


def thinned(log_weights: Floats, n: int, luck: float) -> tuple[Ints, Floats]:
    """At most n of the deals that stand for all of them: which, and what they weigh now (logs, same offset).

    Deals heavier than a threshold c are kept as they are; each of the others is kept with probability weight / c, and weighs
    c then. That is without bias, and of all ways without bias the one with the least variance (Fearnhead and Clifford 2003).
    `luck`, in [0, 1), decides.

    >>> thinned(np.log([0.5, 0.1, 0.2, 0.1, 0.1]), 2, 0.5)[0]
    array([0, 2])
    """
    if n >= len(log_weights):
        return np.arange(len(log_weights)), log_weights
    weights = weights_of(log_weights)
    order = np.argsort(-weights, kind="stable")
    rest = np.cumsum(weights[order][::-1])[::-1]                     # what all from the k-th heaviest on weigh
    heavy = next(k for k in range(n) if weights[order[k]] * (n - k) <= rest[k])
    c = rest[heavy] / (n - heavy)
    light = np.sort(order[heavy:])
    passed = np.floor(np.cumsum(weights[light]) / c + luck).astype(np.int64)
    chosen = light[np.diff(passed, prepend=0) > 0]
    spare = n - heavy - len(chosen)                                  # where rounding has left one out
    chosen = np.concatenate([chosen, np.setdiff1d(light, chosen)[:max(0, spare)]])[:n - heavy]
    kept = np.sort(np.concatenate([order[:heavy], chosen]))
    logs = np.array(log_weights, np.float64)
    logs[chosen] = log_weights[order[0]] + log(c / weights[order[0]])
    return kept, logs[kept]


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
        return np.array(rows).reshape(len(rows), self.hands.shape[1])

    def probability(self, label: str, place: str) -> float:
        """P(a given card called `label` lies at `place`)."""
        labels = [kind.label for kind in self.hidden.kinds]
        for name, what, known in ((label, "hidden card", labels), (place, "place", self.hidden.places)):
            if name not in known:
                raise KeyError(f"no {what} is called {name!r}; there are {', '.join(known) or 'none'}")
        return float(self.marginals[labels.index(label), self.hidden.places.index(place)])

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
