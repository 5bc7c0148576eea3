"""The first layer while learning: features are sparse, so rows are added up and their gradients spread out, compiled.

Of about a thousand features some seventy are on: a dense product would be nine tenths zeros.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inference.kernel import kernel
from searchdou.nets._vector_kernels import add_rows

Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@kernel
def gather(rows: Singles, bias: Singles, starts: Ints, ids: Ints, on: Singles, out: Singles) -> None:
    """out [batch, width] = bias + the rows of every sample's features; sample b has ids[starts[b]:starts[b + 1]]."""
    for b in range(starts.size - 1):
        add_rows(rows, ids, on, starts[b], starts[b + 1], bias, 0, out[b], 0)


@kernel
def scatter(gradient: Singles, starts: Ints, ids: Ints, on: Singles, rows: Singles) -> None:
    """Add to `rows` [features, width] what the gradient [batch, width] says of every feature that was on."""
    for b in range(starts.size - 1):
        for k in range(starts[b], starts[b + 1]):
            i, o = ids[k], on[k]
            for j in range(rows.shape[1]):
                rows[i, j] += o * gradient[b, j]
