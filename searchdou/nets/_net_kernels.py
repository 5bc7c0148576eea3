"""The compiled forward pass: sparse features into an accumulator, then two small dense layers.

    features -> sum of their rows (the accumulator, 256 wide or more) -> ReLU -> 32 -> ReLU -> 32 -> ReLU -> heads

A move changes a few features, so the accumulator is moved along, not made anew (`follow`). Everything is float32 and
added in a fixed order, without fast-math: vectors run along the outputs, so machines with other vector widths agree.
All but the rows lies in one array, and so does all scratch: every array of an argument costs a reference count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inference.kernel import kernel
from searchdou.nets._vector_kernels import HIDDEN, add_rows, small_layer, wide_layer

Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Where things lie in `dense` and in `work`; what depends on the width comes last.
B1 = 0
W2 = B1 + HIDDEN
B2 = W2 + HIDDEN * HIDDEN
BIAS = B2 + HIDDEN
H1 = 0
H2 = H1 + HIDDEN
OUT = H2 + HIDDEN               # the heads' outputs
MOST_HEADS = 4
WIDE = OUT + MOST_HEADS
HERE, NEXT = 0, 1               # two accumulators: of a position, and of one that follows it


class Net(NamedTuple):
    """Weights, shared by all threads, and one thread's scratch."""

    rows: Singles     # [features, width] what a feature adds to the accumulator
    dense: Singles    # b1, w2 [HIDDEN, HIDDEN], b2, bias [width], w1 [width, HIDDEN], w3 [heads, HIDDEN], b3 [heads]
    work: Singles     # layers H1 and H2, the heads' outputs from OUT on, accumulators HERE and NEXT from WIDE on
    ids: Ints         # [most] scratch: features that are on
    on: Singles       # [most] how much each of them is on


@kernel
def refresh(net: Net, n: int, which: int) -> None:
    """Make the accumulator HERE or NEXT that of the n features in net.ids and net.on."""
    add_rows(net.rows, net.ids, net.on, 0, n, net.dense, BIAS, net.work, WIDE + which * net.rows.shape[1])


@kernel
def follow(net: Net, n: int) -> None:
    """Make the accumulator NEXT the one at HERE moved by the n changes in net.ids and net.on: a feature that goes out has
    on[k] = -1."""
    add_rows(net.rows, net.ids, net.on, 0, n, net.work, WIDE, net.work, WIDE + net.rows.shape[1])


@kernel
def forward(net: Net, which: int) -> float:
    """The heads' outputs for the accumulator HERE or NEXT, into net.work[OUT:]; returns the first."""
    w, work, width = net.dense, net.work, net.rows.shape[1]
    w1 = BIAS + width
    w3 = w1 + width * HIDDEN
    wide_layer(width, work, WIDE + which * width, w, w1, B1, H1)
    small_layer(work, H1, w, W2, B2, H2)
    zero = np.float32(0.0)
    for j in range(HIDDEN):
        work[H2 + j] = work[H2 + j] if work[H2 + j] > zero else zero
    heads = (w.size - w3) // (HIDDEN + 1)
    for head in range(heads):
        k = w3 + head * HIDDEN
        s0, s1, s2, s3 = w[w3 + heads * HIDDEN + head], zero, zero, zero
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
        out[b] = net.work[OUT:OUT + out.shape[1]]
