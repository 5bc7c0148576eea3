"""e^x and ln x by plain arithmetic, and sums in a fixed order: the same bits on every machine.

Mathematical libraries have other code for other processors, and so have numpy's exp and BLAS's dot; their last bits differ.
A search compares means that may be equal but for those bits, so two machines would now and then play different moves.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from inference.kernel import kernel

Floats = npt.NDArray[np.float64]

LN2 = math.log(2.0)
LN2_HIGH = 2977044471.0 / 2.0 ** 32        # 32 bits of ln 2: a small whole number of times it has no rounding
LN2_LOW = 1.9082149292705877e-10           # the rest of it
TERMS = 13                                 # of e^r for |r| <= ln 2 / 2: the next is below 1e-17
ODD_TERMS = 12                             # of ln m = 2 (s + s^3 / 3 + ...) for s = (m - 1) / (m + 1), |s| < 0.172: likewise
LEAST, MOST = -745.0, 709.0                # beyond, e^x is 0, or taken for e^709
FAR = 3.0                                  # from here on erfc is a continued fraction
STEPS = 60                                 # of the series and of the fraction of erfc: to a part in 1e-11 at least


@kernel
def exp(x: float) -> float:
    """e^x: 2^k e^r with |r| at most ln 2 / 2, e^r by its series. Within two units of the last place."""
    if not x >= LEAST:
        return 0.0
    x = min(x, MOST)
    k = math.floor(x / LN2 + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    series = 1.0
    for n in range(TERMS, 0, -1):
        series = 1.0 + r * series / n
    return math.ldexp(series, int(k))


@kernel
def log(x: float) -> float:
    """ln x for x above 0: k ln 2 + ln m with m near 1. Within two units of the last place, or of 1e-16 near x = 1."""
    m, k = math.frexp(x)
    if m < 0.7071067811865476:
        m *= 2.0
        k -= 1
    s = (m - 1.0) / (m + 1.0)
    square = s * s
    series = 0.0
    for n in range(ODD_TERMS, 0, -1):
        series = square * (series + 1.0 / (2 * n + 1))
    return k * LN2_HIGH + (2.0 * s * (1.0 + series) + k * LN2_LOW)


@kernel
def erfc(x: float) -> float:
    """2 / sqrt(pi) times the integral of e^(-t^2) from x on, to a part in 1e-10."""
    away = abs(x)
    if away < FAR:
        term, series = away, away                          # erf's series with all terms above 0
        for n in range(1, STEPS):
            term *= 2.0 * away * away / (2 * n + 1)
            series += term
        found = 1.0 - 2.0 / math.sqrt(math.pi) * exp(-away * away) * series
    else:
        fraction = away
        for n in range(STEPS, 0, -1):
            fraction = away + 0.5 * n / fraction
        found = exp(-away * away) / (math.sqrt(math.pi) * fraction)
    return found if x >= 0.0 else 2.0 - found


@kernel
def normal_gain(mean: float, deviation: float) -> float:
    """E max(0, -d) for d normal with that mean and standard deviation."""
    z = mean / deviation
    return deviation * (exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) - 0.5 * z * erfc(z / math.sqrt(2.0)))


@kernel
def total(values: Floats) -> float:
    """Their sum, one after the other."""
    found = 0.0
    for i in range(values.size):
        found += values[i]
    return found


@kernel
def logs(values: Floats) -> Floats:
    """ln of every value."""
    found = np.empty(values.size)
    for i in range(values.size):
        found[i] = log(values[i])
    return found


@kernel
def normalise(log_weights: Floats, floor: float) -> Floats:
    """Weights in proportion to e^log_weights that sum to 1; before that none is below `floor` times the largest."""
    top = log_weights[0]
    for i in range(1, log_weights.size):
        top = max(top, log_weights[i])
    weights = np.empty(log_weights.size)
    for i in range(log_weights.size):
        weights[i] = max(exp(log_weights[i] - top), floor)
    everything = total(weights)
    for i in range(log_weights.size):
        weights[i] /= everything
    return weights
