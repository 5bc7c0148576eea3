"""Bit tricks that Numba lacks, each with a Python body for when the JIT is off."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from inference.kernel import kernel


def lowest(mask: int) -> int:
    """Index of the lowest set bit; `mask` must not be 0."""
    mask = int(mask)
    return (mask & -mask).bit_length() - 1


def count(mask: int) -> int:
    """Number of set bits of a non-negative mask."""
    return int(mask).bit_count()


MASK63 = 0x7FFFFFFFFFFFFFFF


@kernel
def mix(x: int, factor: int) -> int:
    """One step of a hash: 63 bits in, 63 bits out; `factor` is odd."""
    x = (int(x) * factor) & MASK63
    return x ^ (x >> 29)


@intrinsic
def _cttz(context: Any, mask: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))
    return types.int64(types.int64), emit


@intrinsic
def _ctpop(context: Any, mask: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])
    return types.int64(types.int64), emit


@overload(lowest, inline="always")
def _lowest(mask: Any) -> Any:
    def impl(mask: Any) -> Any:
        return _cttz(mask)
    return impl


@overload(count, inline="always")
def _count(mask: Any) -> Any:
    def impl(mask: Any) -> Any:
        return _ctpop(mask)
    return impl
