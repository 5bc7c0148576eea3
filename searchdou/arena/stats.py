"""Numbers with their errors: intervals paired by deal, and the intransitivity of a table of results."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]


def mean_se(values: Floats) -> tuple[float, float]:
    """The mean and its standard error; one value a deal, so that the games of a deal stay paired."""
    if values.size < 2:
        return float(values.mean()) if values.size else 0.0, float("nan")
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size))


def ci95(values: Floats) -> list[float]:
    """The 95% interval of the mean (Student's t); one value has none, [nan, nan]."""
    mean, se = mean_se(values)
    if se == 0:
        return [mean, mean]
    if np.isnan(se):
        return [se, se]
    half = float(stats.t.ppf(0.975, values.size - 1)) * se
    return [mean - half, mean + half]


def intransitivity(xi: Floats) -> float:
    r"""How far a table of average wins is from transitive, 0 to 1 (ScrofaZero, eq. 17).

    \epsilon = \sum_{i<j<k} |x_ij + x_jk - x_ik|^2 / \sum |x_ij + x_jk - x_ik| (|x_ij| + |x_jk| + |x_ik|)
    """
    above = below = 0.0
    for i, j, k in combinations(range(len(xi)), 3):
        gap = abs(xi[i, j] + xi[j, k] - xi[i, k])
        above += gap * gap
        below += gap * (abs(xi[i, j]) + abs(xi[j, k]) + abs(xi[i, k]))
    return float(above / below) if below > 0 else 0.0


def intransitivity_error(per_deal: Floats, resamples: int = 1000, seed: int = 0) -> float:
    """Bootstrap standard error of `intransitivity`; `per_deal` is [agents, agents, deals] on common deals."""
    rng = np.random.default_rng(seed)
    deals = per_deal.shape[2]
    values = [intransitivity(per_deal[:, :, rng.integers(deals, size=deals)].mean(axis=2)) for _ in range(resamples)]
    return float(np.std(values))
