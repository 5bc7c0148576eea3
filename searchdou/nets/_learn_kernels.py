"""The first layer while learning: features are sparse, so rows are added up and their gradients spread out, compiled.

Of about a thousand features some seventy are on: a dense product would be nine tenths zeros.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inference.kernel import kernel
from searchdou.nets._net_kernels import TOGETHER, WIDTH

Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@kernel
def gather(rows: Singles, bias: Singles, starts: Ints, ids: Ints, on: Singles, out: Singles) -> None:
    """out [batch, WIDTH] = bias + the rows of every sample's features; sample b has ids[starts[b]:starts[b + 1]]."""
    for b in range(starts.size - 1):
        for j in range(WIDTH):
            out[b, j] = bias[j]
        k, end = starts[b], starts[b + 1]
        while k + TOGETHER <= end:
            i0, i1, i2, i3 = ids[k], ids[k + 1], ids[k + 2], ids[k + 3]
            i4, i5, i6, i7 = ids[k + 4], ids[k + 5], ids[k + 6], ids[k + 7]
            o0, o1, o2, o3 = on[k], on[k + 1], on[k + 2], on[k + 3]
            o4, o5, o6, o7 = on[k + 4], on[k + 5], on[k + 6], on[k + 7]
            for j in range(WIDTH):
                out[b, j] += (((o0 * rows[i0, j] + o1 * rows[i1, j]) + (o2 * rows[i2, j] + o3 * rows[i3, j]))
                              + ((o4 * rows[i4, j] + o5 * rows[i5, j]) + (o6 * rows[i6, j] + o7 * rows[i7, j])))
            k += TOGETHER
        while k < end:
            i0, o0 = ids[k], on[k]
            for j in range(WIDTH):
                out[b, j] += o0 * rows[i0, j]
            k += 1


@kernel
def scatter(gradient: Singles, starts: Ints, ids: Ints, on: Singles, rows: Singles) -> None:
    """Add to `rows` [features, WIDTH] what the gradient [batch, WIDTH] says of every feature that was on."""
    for b in range(starts.size - 1):
        for k in range(starts[b], starts[b + 1]):
            i, o = ids[k], on[k]
            for j in range(WIDTH):
                rows[i, j] += o * gradient[b, j]
