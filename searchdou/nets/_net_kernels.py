"""The compiled forward pass: sparse features into an accumulator, then two small dense layers.

    features -> sum of their rows (the accumulator, width 256) -> ReLU -> 32 -> ReLU -> 32 -> ReLU -> heads

A move changes a few features, so the accumulator is moved along, not made anew (`follow`). Everything is float32 and
added in a fixed order, without fast-math: vectors run along the outputs, so machines with other vector widths agree.
All but the rows lies in one array, and so does all scratch: every array of an argument costs a reference count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inference.kernel import kernel
from searchdou.nets._vector_kernels import HIDDEN, WIDTH, add_rows, small_layer, wide_layer

Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Where things lie in `dense` and in `work`.
W1 = WIDTH
B1 = W1 + WIDTH * HIDDEN
W2 = B1 + HIDDEN
B2 = W2 + HIDDEN * HIDDEN
W3 = B2 + HIDDEN
HERE, NEXT = 0, WIDTH           # two accumulators: of a position, and of one that follows it
H1 = 2 * WIDTH
H2 = H1 + HIDDEN
OUT = H2 + HIDDEN


class Net(NamedTuple):
    """Weights, shared by all threads, and one thread's scratch."""

    rows: Singles     # [features, WIDTH] what a feature adds to the accumulator
    dense: Singles    # bias [WIDTH], w1 [WIDTH, HIDDEN], b1, w2 [HIDDEN, HIDDEN], b2, w3 [heads, HIDDEN], b3 [heads]
    work: Singles     # accumulators HERE and NEXT, layers H1 and H2, and the heads' outputs from OUT on
    ids: Ints         # [most] scratch: features that are on
    on: Singles       # [most] how much each of them is on


@kernel
def refresh(net: Net, n: int, at: int) -> None:
    """Make the accumulator `at` that of the n features in net.ids and net.on."""
    add_rows(net.rows, net.ids, net.on, 0, n, net.dense, 0, net.work, at)


@kernel
def follow(net: Net, n: int) -> None:
    """Make the accumulator NEXT the one at HERE moved by the n changes in net.ids and net.on: a feature that goes out has
    on[k] = -1."""
    add_rows(net.rows, net.ids, net.on, 0, n, net.work, HERE, net.work, NEXT)


@kernel
def forward(net: Net, at: int) -> float:
    """The heads' outputs for the accumulator `at`, into net.work[OUT:]; returns the first."""
    w, work = net.dense, net.work
    wide_layer(work, at, w, W1, B1, H1)
    small_layer(work, H1, w, W2, B2, H2)
    zero = np.float32(0.0)
    for j in range(HIDDEN):
        work[H2 + j] = work[H2 + j] if work[H2 + j] > zero else zero
    heads = work.size - OUT
    for head in range(heads):
        k = W3 + head * HIDDEN
        s0, s1, s2, s3 = w[W3 + heads * HIDDEN + head], zero, zero, zero
        for i in range(0, HIDDEN, 4):
            s0 += work[H2 + i] * w[k + i]
            s1 += work[H2 + i + 1] * w[k + i + 1]
            s2 += work[H2 + i + 2] * w[k + i + 2]
            s3 += work[H2 + i + 3] * w[k + i + 3]
        work[OUT + head] = (s0 + s1) + (s2 + s3)
    return work[OUT]


@kernel
def best_of(q: Floats, n: int) -> int:
    """Where the highest of the first n values is."""
    best = 0
    for i in range(1, n):
        if q[i] > q[best]:
            best = i
    return best


@kernel
def forward_sparse(net: Net, starts: Ints, ids: Ints, on: Singles, out: Singles) -> None:
    """A batch: sample b has the features ids[starts[b]:starts[b + 1]]; its heads go into out[b]."""
    for b in range(starts.size - 1):
        n = starts[b + 1] - starts[b]
        net.ids[:n] = ids[starts[b]:starts[b + 1]]
        net.on[:n] = on[starts[b]:starts[b + 1]]
        refresh(net, n, NEXT)
        forward(net, NEXT)
        out[b] = net.work[OUT:]
