"""The compiled forward pass: sparse features into an accumulator, then two small dense layers.

    features -> sum of their rows (the accumulator, width 256) -> ReLU -> 32 -> ReLU -> 32 -> ReLU -> heads

A move changes a few features, so the accumulator is moved along, not made anew (`shift`). Everything is float32 and
added in a fixed order, without fast-math: vectors run along the outputs, so machines with other vector widths agree.
All but the rows lies in one array, and so does all scratch: every array of an argument costs a reference count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inference.kernel import kernel

Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

WIDTH = 256         # of the accumulator
HIDDEN = 32         # of both dense layers; constants, which is half of the speed
TOGETHER = 8        # rows added in one pass: the sums stay in registers that much longer

# Where things lie in `dense` and in `work`.
W1 = WIDTH
B1 = W1 + WIDTH * HIDDEN
W2 = B1 + HIDDEN
B2 = W2 + HIDDEN * HIDDEN
W3 = B2 + HIDDEN
HERE, NEXT = 0, WIDTH           # two accumulators: of a position, and of one that follows it
H0 = 2 * WIDTH
H1 = H0 + WIDTH
H2 = H1 + HIDDEN
OUT = H2 + HIDDEN


class Net(NamedTuple):
    """Weights, shared by all threads, and one thread's scratch."""

    rows: Singles     # [features, WIDTH] what a feature adds to the accumulator
    dense: Singles    # bias [WIDTH], w1 [WIDTH, HIDDEN], b1, w2 [HIDDEN, HIDDEN], b2, w3 [heads, HIDDEN], b3 [heads]
    work: Singles     # accumulators HERE and NEXT, layers H0, H1, H2, and the heads' outputs from OUT on
    ids: Ints         # [most] scratch: features that are on
    on: Singles       # [most] how much each of them is on


@kernel
def shift(net: Net, n: int, at: int) -> None:
    """Move the accumulator `at`: add on[k] times the row of ids[k], for k < n; a feature that goes out has on[k] = -1."""
    rows, work, ids, on = net.rows, net.work, net.ids, net.on
    k = 0
    while k + TOGETHER <= n:
        i0, i1, i2, i3 = ids[k], ids[k + 1], ids[k + 2], ids[k + 3]
        i4, i5, i6, i7 = ids[k + 4], ids[k + 5], ids[k + 6], ids[k + 7]
        o0, o1, o2, o3 = on[k], on[k + 1], on[k + 2], on[k + 3]
        o4, o5, o6, o7 = on[k + 4], on[k + 5], on[k + 6], on[k + 7]
        for j in range(WIDTH):
            work[at + j] += (((o0 * rows[i0, j] + o1 * rows[i1, j]) + (o2 * rows[i2, j] + o3 * rows[i3, j]))
                             + ((o4 * rows[i4, j] + o5 * rows[i5, j]) + (o6 * rows[i6, j] + o7 * rows[i7, j])))
        k += TOGETHER
    while k < n:
        i0, o0 = ids[k], on[k]
        for j in range(WIDTH):
            work[at + j] += o0 * rows[i0, j]
        k += 1


@kernel
def refresh(net: Net, n: int, at: int) -> None:
    """Make the accumulator `at` that of the n features in net.ids and net.on."""
    for j in range(WIDTH):
        net.work[at + j] = net.dense[j]
    shift(net, n, at)


@kernel
def follow(net: Net, n: int) -> None:
    """Make the accumulator NEXT the one at HERE moved by the n changes in net.ids and net.on."""
    for j in range(WIDTH):
        net.work[NEXT + j] = net.work[HERE + j]
    shift(net, n, NEXT)


@kernel
def forward(net: Net, at: int) -> float:
    """The heads' outputs for the accumulator `at`, into net.work[OUT:]; returns the first."""
    w, work = net.dense, net.work
    zero = np.float32(0.0)
    for j in range(WIDTH):
        work[H0 + j] = work[at + j] if work[at + j] > zero else zero
    for j in range(HIDDEN):
        work[H1 + j] = w[B1 + j]
    for i in range(0, WIDTH, TOGETHER):
        a0, a1, a2, a3 = work[H0 + i], work[H0 + i + 1], work[H0 + i + 2], work[H0 + i + 3]
        a4, a5, a6, a7 = work[H0 + i + 4], work[H0 + i + 5], work[H0 + i + 6], work[H0 + i + 7]
        k = W1 + i * HIDDEN
        for j in range(HIDDEN):
            work[H1 + j] += (((a0 * w[k + j] + a1 * w[k + HIDDEN + j])
                              + (a2 * w[k + 2 * HIDDEN + j] + a3 * w[k + 3 * HIDDEN + j]))
                             + ((a4 * w[k + 4 * HIDDEN + j] + a5 * w[k + 5 * HIDDEN + j])
                                + (a6 * w[k + 6 * HIDDEN + j] + a7 * w[k + 7 * HIDDEN + j])))
    for j in range(HIDDEN):
        work[H1 + j] = work[H1 + j] if work[H1 + j] > zero else zero
        work[H2 + j] = w[B2 + j]
    for i in range(0, HIDDEN, 4):
        a0, a1, a2, a3 = work[H1 + i], work[H1 + i + 1], work[H1 + i + 2], work[H1 + i + 3]
        k = W2 + i * HIDDEN
        for j in range(HIDDEN):
            work[H2 + j] += ((a0 * w[k + j] + a1 * w[k + HIDDEN + j])
                             + (a2 * w[k + 2 * HIDDEN + j] + a3 * w[k + 3 * HIDDEN + j]))
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
def forward_sparse(net: Net, starts: Ints, ids: Ints, on: Singles, out: Singles) -> None:
    """A batch: sample b has the features ids[starts[b]:starts[b + 1]]; its heads go into out[b]."""
    for b in range(starts.size - 1):
        n = starts[b + 1] - starts[b]
        net.ids[:n] = ids[starts[b]:starts[b + 1]]
        net.on[:n] = on[starts[b]:starts[b + 1]]
        refresh(net, n, NEXT)
        forward(net, NEXT)
        out[b] = net.work[OUT:]
