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


def ci95(values: Floats, doubt: float = 0.05) -> list[float]:
    """The 95% interval of the mean (Student's t), or one that is left in the share `doubt` of cases; one value has none,
    [nan, nan]."""
    mean, se = mean_se(values)
    if se == 0:
        return [mean, mean]
    if np.isnan(se):
        return [se, se]
    half = float(stats.t.ppf(1 - doubt / 2, values.size - 1)) * se
    return [mean - half, mean + half]


def half95(values: Floats) -> float:
    """Half the width of the 95% interval."""
    low, high = ci95(values)
    return (high - low) / 2


def plus_minus(values: Floats, digits: int = 1) -> str:
    """Mean and half a 95% interval, one value a deal; a single value has no interval.

    >>> plus_minus(np.array([1.0, 2.0, 3.0])), plus_minus(np.array([120.0]))
    ('+2.0 ± 2.5', '+120.0')
    """
    return f"{values.mean():+.{digits}f}" + (f" ± {half95(values):.{digits}f}" if values.size > 1 else "")


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
