"""The vector loops against their Python bodies, to the last bit: they add in the same order."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from searchdou.nets import _vector_kernels as kernels
from searchdou.nets._vector_kernels import HIDDEN, LANES, add_rows, small_layer, wide_layer

WIDTH = 5 * LANES


@numba.njit
def compiled_rows(rows, ids, on, first, end, source, at, target, to):
    add_rows(rows, ids, on, first, end, source, at, target, to)


@numba.njit
def compiled_wide(width, inputs, at, dense, weights, bias, to):
    wide_layer(width, inputs, at, dense, weights, bias, to)


@numba.njit
def compiled_small(width, inputs, at, dense, weights, bias, to):
    small_layer(inputs, at, dense, weights, bias, to)


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 66])
@pytest.mark.parametrize("place", [0, 3])
def test_rows_are_added_up_in_order(n, place):
    rng = np.random.default_rng(n + place)
    rows, ids, on = floats(rng, 50, WIDTH), rng.integers(0, 50, n + place), floats(rng, n + place)
    source, found, wanted = floats(rng, WIDTH + place), np.zeros(WIDTH + 9, np.float32), np.zeros(WIDTH + 9, np.float32)
    compiled_rows(rows, ids, on, place, n + place, source, place, found, 5)
    kernels.add_rows(rows, ids, on, place, n + place, source, place, wanted, 5)
    assert found.tolist() == wanted.tolist()
    assert not found[:5].any()
    assert not found[5 + WIDTH:].any()          # nothing is written beside


def test_rows_added_in_place():
    rng = np.random.default_rng(3)
    rows, ids, on = floats(rng, 9, WIDTH), rng.integers(0, 9, 5), floats(rng, 5)
    work = floats(rng, WIDTH)
    wanted = work + sum(on[k].astype(np.float64) * rows[ids[k]] for k in range(5))
    compiled_rows(rows, ids, on, 0, 5, work, 0, work, 0)
    assert work == pytest.approx(wanted, abs=1e-5)


def test_arrays_that_would_be_misread_are_refused():
    rng = np.random.default_rng(3)
    rows, ids, on, work = floats(rng, 9, WIDTH), rng.integers(0, 9, 10), floats(rng, 10), floats(rng, WIDTH)
    for name, bad in (("rows", {"rows": np.asfortranarray(rows)}), ("ids", {"ids": ids[::2]}),
                      ("ids", {"ids": ids.astype(np.int32)}), ("source", {"source": work.astype(np.float64)})):
        given = {"rows": rows, "ids": ids, "on": on, "source": work, **bad}
        with pytest.raises(numba.TypingError, match=f"{name} must be a contiguous array"):
            compiled_rows(given["rows"], given["ids"], given["on"], 0, 5, given["source"], 0, work, 0)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize(("width", "compiled", "plain"), [(WIDTH, compiled_wide, kernels.wide_layer),
                                                          (HIDDEN, compiled_small, kernels._layer)])
def test_a_layer_takes_the_inputs_above_zero(share, width, compiled, plain):
    rng = np.random.default_rng(int(10 * share))
    dense = floats(rng, 7 + HIDDEN * (width + 1))
    inputs = np.abs(floats(rng, 4 + width + HIDDEN + 4))
    inputs[4:4 + width] *= np.where(rng.random(width) < share, 1, -1)
    inputs[5] = 0.0
    found, wanted = inputs.copy(), inputs.copy()
    compiled(width, found, 4, dense, 7 + HIDDEN, 7, 4 + width)
    plain(width, wanted, 4, dense, 7 + HIDDEN, 7, 4 + width)
    assert found.tolist() == wanted.tolist()
    matrix = dense[7 + HIDDEN:].reshape(width, HIDDEN)
    assert found[4 + width:-4] == pytest.approx(dense[7:7 + HIDDEN] + np.maximum(0, inputs[4:4 + width]) @ matrix, abs=1e-4)
    assert found[:4 + width].tolist() == inputs[:4 + width].tolist()
