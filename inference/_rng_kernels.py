"""The random stream of compiled code: SplitMix64, eight bytes of state, one stream a thread.

A stream is a uint64 array of length 1, changed in place. Streams made from different (seed, key) pairs
are independent for all we need; the same pair always gives the same numbers.
"""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from inference.kernel import kernel

Stream = npt.NDArray[np.uint64]

GAMMA = 0x9E3779B97F4A7C15
MIX1 = 0xBF58476D1CE4E5B9
MIX2 = 0x94D049BB133111EB
MASK64 = (1 << 64) - 1


def stream(seed: int, *key: int) -> Stream:
    """A stream for `seed` and any further integers (deal number, seat, thread)."""
    state = _mixed((index(seed) + GAMMA) & MASK64)
    for word in key:
        state = _mixed((state * MIX1 + _mixed((index(word) + GAMMA) & MASK64)) & MASK64)   # order matters
    return np.array([state], np.uint64)


def _mixed(x: int) -> int:
    """SplitMix64's finaliser: every input bit reaches every output bit."""
    x = ((x ^ (x >> 30)) * MIX1) & MASK64
    x = ((x ^ (x >> 27)) * MIX2) & MASK64
    return x ^ (x >> 31)


def next32(rng: Stream) -> int:
    """The next 32 random bits."""
    state = (int(rng[0]) + GAMMA) & MASK64
    rng[0] = state
    return _mixed(state) >> 32


def next63(rng: Stream) -> int:
    """The next 63 random bits, as a non-negative int64."""
    state = (int(rng[0]) + GAMMA) & MASK64
    rng[0] = state
    return _mixed(state) >> 1


# Under the JIT every operand must be uint64, or Numba falls back to floats.
_GAMMA, _MIX1, _MIX2 = np.uint64(GAMMA), np.uint64(MIX1), np.uint64(MIX2)
_30, _27, _31, _32, _1 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32), np.uint64(1)


@overload(next32, inline="always")
def _next32(rng: Any) -> Any:
    def impl(rng: Any) -> Any:
        x = rng[0] + _GAMMA
        rng[0] = x
        x = (x ^ (x >> _30)) * _MIX1
        x = (x ^ (x >> _27)) * _MIX2
        return np.int64((x ^ (x >> _31)) >> _32)
    return impl


@overload(next63, inline="always")
def _next63(rng: Any) -> Any:
    def impl(rng: Any) -> Any:
        x = rng[0] + _GAMMA
        rng[0] = x
        x = (x ^ (x >> _30)) * _MIX1
        x = (x ^ (x >> _27)) * _MIX2
        return np.int64((x ^ (x >> _31)) >> _1)
    return impl


@kernel
def below(rng: Stream, n: int) -> int:
    """A uniform integer in 0..n-1, exactly (Lemire's multiply and reject), for 1 <= n < 2^31."""
    product = next32(rng) * n
    low = product & 0xFFFFFFFF
    if low < n:
        reject = 0x100000000 % n
        while low < reject:
            product = next32(rng) * n
            low = product & 0xFFFFFFFF
    return product >> 32


@kernel
def uniform(rng: Stream) -> float:
    """A uniform float in [0, 1)."""
    return (next63(rng) >> 10) * 1.1102230246251565e-16  # 2**-53
