"""The two inner loops of a net, written in LLVM's own vectors, each with a Python body for when the JIT is off.

Numba's vectoriser keeps sums in memory and asks before every short loop whether arrays overlap; here they stay in
registers, LANES floats at a time: an accumulator is as wide as its net's rows, any multiple of LANES. Sums are made one
term after the other, without fast-math, so all machines agree whatever their vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import config, errors
from numba.extending import intrinsic, overload

Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

HIDDEN = 32         # width of both dense layers; a constant, which is half of the speed
LANES = 64          # floats added up in registers at a time, and inputs looked at at a time

FLOAT, INT = ir.FloatType(), ir.IntType(64)


def add_rows(rows: Singles, ids: Ints, on: Singles, first: int, end: int, source: Singles, at: int, target: Singles,
             to: int) -> None:
    """target[to:] = source[at:] + the sum of on[k] times the row of ids[k], for first <= k < end; as many numbers as a row
    has, a multiple of LANES."""
    width = rows.shape[1]
    total = source[at:at + width].copy()
    for k in range(first, end):
        total += on[k] * rows[ids[k]]
    target[to:to + width] = total


def wide_layer(width: int, inputs: Singles, at: int, dense: Singles, weights: int, bias: int, to: int) -> None:
    """inputs[to:to + HIDDEN] = bias + weights times the `width` inputs from `at` on, those below zero counted as zero.

    Nine of ten inputs are below zero: only the others are looked at. The width is a multiple of LANES.
    """
    _layer(width, inputs, at, dense, weights, bias, to)


def small_layer(inputs: Singles, at: int, dense: Singles, weights: int, bias: int, to: int) -> None:
    """The same with HIDDEN inputs."""
    _layer(HIDDEN, inputs, at, dense, weights, bias, to)


def _layer(width: int, inputs: Singles, at: int, dense: Singles, weights: int, bias: int, to: int) -> None:
    total = dense[bias:bias + HIDDEN].copy()
    for i in range(width):
        if inputs[at + i] > 0:
            total += inputs[at + i] * dense[weights + HIDDEN * i:weights + HIDDEN * (i + 1)]
    inputs[to:to + HIDDEN] = total


# --- compiled -------------------------------------------------------------------------------------------------------

def _check(**arrays: Any) -> None:
    """Refuse, while compiling, what these loops would misread: other numbers, or numbers with gaps between them."""
    for name, array in arrays.items():
        wanted = types.int64 if name == "ids" else types.float32
        if not isinstance(array, types.Array) or array.dtype != wanted or array.layout != "C":
            raise errors.TypingError(f"{name} must be a contiguous array of {wanted}, not {array}")


def _start(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """The address of an array's first number."""
    return context.make_array(kind)(context, builder, array).data


def _vector(builder: Any, start: Any, place: Any, lanes: int) -> Any:
    """The address of `lanes` floats from `place` on."""
    return builder.bitcast(builder.gep(start, [place]), ir.VectorType(FLOAT, lanes).as_pointer())


def _spread(builder: Any, value: Any, lanes: int) -> Any:
    """A vector of one value."""
    kind = ir.VectorType(FLOAT, lanes)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros)


def _add_times(builder: Any, total: Any, value: Any, row: Any, lanes: int) -> Any:
    return builder.fadd(total, builder.fmul(_spread(builder, value, lanes), row))


class _Counting:
    """A loop from `first` below `end` by `step`; `number` counts, and values carried from turn to turn are phis."""

    def __init__(self, builder: Any, first: Any, end: Any, step: int, *carried: Any) -> None:
        self._builder, self._step = builder, step
        entry = builder.block
        self._head, body, self._done = (builder.append_basic_block() for _ in range(3))
        builder.branch(self._head)
        builder.position_at_end(self._head)
        self.number, self.values = builder.phi(INT), [builder.phi(value.type) for value in carried]
        for phi, value in zip((self.number, *self.values), (first, *carried), strict=True):
            phi.add_incoming(value, entry)
        builder.cbranch(builder.icmp_signed("<", self.number, end), body, self._done)
        builder.position_at_end(body)

    def close(self, *carried: Any) -> None:
        """The end of the body: what the next turn, or what follows the loop, finds in `values`."""
        following = self._builder.add(self.number, INT(self._step))
        for phi, value in zip((self.number, *self.values), (following, *carried), strict=True):
            phi.add_incoming(value, self._builder.block)
        self._builder.branch(self._head)
        self._builder.position_at_end(self._done)


@intrinsic
def _add_rows(typing: Any, rows: Any, ids: Any, on: Any, first: Any, end: Any, source: Any, at: Any, target: Any,
              to: Any) -> Any:
    _check(rows=rows, ids=ids, on=on, source=source, target=target)
    signature = types.void(rows, ids, on, types.int64, types.int64, source, types.int64, target, types.int64)

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        row, number, much, here, there = (_start(context, builder, signature.args[i], args[i]) for i in (0, 1, 2, 5, 7))
        first, end, at, to = args[3], args[4], args[6], args[8]
        width = builder.extract_value(context.make_array(signature.args[0])(context, builder, args[0]).shape, 1)
        lanes = _Counting(builder, INT(0), width, LANES)
        before = builder.load(_vector(builder, here, builder.add(at, lanes.number), LANES), align=4)
        features = _Counting(builder, first, end, 1, before)
        k, total = features.number, features.values[0]
        place = builder.add(builder.mul(builder.load(builder.gep(number, [k])), width), lanes.number)
        more = builder.load(_vector(builder, row, place, LANES), align=4)
        features.close(_add_times(builder, total, builder.load(builder.gep(much, [k])), more, LANES))
        builder.store(total, _vector(builder, there, builder.add(to, lanes.number), LANES), align=4)
        lanes.close()
        return context.get_dummy_value()
    return signature, emit


def _layer_of(lanes: int) -> Any:
    """A layer whose inputs are looked at `lanes` at a time."""
    @intrinsic
    def layer(typing: Any, width: Any, inputs: Any, at: Any, dense: Any, weights: Any, bias: Any, to: Any) -> Any:
        _check(inputs=inputs, dense=dense)
        signature = types.void(types.int64, inputs, types.int64, dense, types.int64, types.int64, types.int64)

        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value, row = (_start(context, builder, signature.args[i], args[i]) for i in (1, 3))
            width, at, weights, bias, to = args[0], args[2], args[4], args[5], args[6]
            parts = _Counting(builder, INT(0), width, lanes,
                              builder.load(_vector(builder, row, bias, HIDDEN), align=4))
            looked = builder.load(_vector(builder, value, builder.add(at, parts.number), lanes), align=4)
            positive = builder.fcmp_ordered(">", looked, ir.Constant(looked.type, [0.0] * lanes))
            mask = builder.bitcast(positive, ir.IntType(lanes))
            if lanes < 64:
                mask = builder.zext(mask, INT)
            entry = builder.block
            head, body, done = (builder.append_basic_block() for _ in range(3))
            builder.branch(head)
            builder.position_at_end(head)
            left, total = builder.phi(INT), builder.phi(parts.values[0].type)
            builder.cbranch(builder.icmp_signed("!=", left, INT(0)), body, done)
            builder.position_at_end(body)
            i = builder.add(builder.cttz(left, ir.Constant(ir.IntType(1), 1)), parts.number)
            place = builder.add(weights, builder.mul(i, INT(HIDDEN)))
            sum_ = _add_times(builder, total, builder.load(builder.gep(value, [builder.add(at, i)])),
                              builder.load(_vector(builder, row, place, HIDDEN), align=4), HIDDEN)
            rest = builder.and_(left, builder.sub(left, INT(1)))
            builder.branch(head)
            for phi, begin, then in ((left, mask, rest), (total, parts.values[0], sum_)):
                phi.add_incoming(begin, entry)
                phi.add_incoming(then, body)
            builder.position_at_end(done)
            parts.close(total)
            builder.store(parts.values[0], _vector(builder, value, to, HIDDEN), align=4)
            return context.get_dummy_value()
        return signature, emit
    return layer


_wide_layer, _small_layer = _layer_of(LANES), _layer_of(HIDDEN)

# With bounds checks on, the Python bodies are compiled instead: vectors are not checked.

@overload(add_rows, inline="always")
def _(rows: Singles, ids: Ints, on: Singles, first: int, end: int, source: Singles, at: int, target: Singles,
      to: int) -> Any:
    def impl(rows: Singles, ids: Ints, on: Singles, first: int, end: int, source: Singles, at: int, target: Singles,
             to: int) -> None:
        _add_rows(rows, ids, on, first, end, source, at, target, to)
    return add_rows if config.BOUNDSCHECK else impl


@overload(wide_layer, inline="always")
def _(width: int, inputs: Singles, at: int, dense: Singles, weights: int, bias: int, to: int) -> Any:
    def impl(width: int, inputs: Singles, at: int, dense: Singles, weights: int, bias: int, to: int) -> None:
        _wide_layer(width, inputs, at, dense, weights, bias, to)

    def checked(width: int, inputs: Singles, at: int, dense: Singles, weights: int, bias: int, to: int) -> None:
        _layer(width, inputs, at, dense, weights, bias, to)
    return checked if config.BOUNDSCHECK else impl


@overload(small_layer, inline="always")
def _(inputs: Singles, at: int, dense: Singles, weights: int, bias: int, to: int) -> Any:
    def impl(inputs: Singles, at: int, dense: Singles, weights: int, bias: int, to: int) -> None:
        _small_layer(HIDDEN, inputs, at, dense, weights, bias, to)

    def checked(inputs: Singles, at: int, dense: Singles, weights: int, bias: int, to: int) -> None:
        _layer(HIDDEN, inputs, at, dense, weights, bias, to)
    return checked if config.BOUNDSCHECK else impl


@overload(_layer, inline="always")
def _(width: int, inputs: Singles, at: int, dense: Singles, weights: int, bias: int, to: int) -> Any:
    return _layer
