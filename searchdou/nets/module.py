"""The same net in torch, to train it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from searchdou.nets._learn_kernels import gather, scatter
from searchdou.nets.files import Arrays, Sizes


class Batch(NamedTuple):
    """Samples as the features that are on: sample b has ids[starts[b]:starts[b + 1]], each `on` by so much."""

    starts: npt.NDArray[np.int64]       # [samples + 1]
    ids: npt.NDArray[np.int64]
    on: npt.NDArray[np.float32]


class _SumOfRows(torch.autograd.Function):
    """The accumulator of a batch, and its gradient: three times as fast as the dense product of torch."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, bias: Tensor, batch: Batch) -> Tensor:
        ctx.batch, ctx.shape = batch, rows.shape
        out = np.empty((len(batch.starts) - 1, rows.shape[1]), np.float32)
        gather(rows.detach().numpy(), bias.detach().numpy(), *batch, out)
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        (gradient,) = gradients
        rows = np.zeros(ctx.shape, np.float32)
        batch: Batch = ctx.batch
        scatter(gradient.contiguous().numpy(), batch.starts, batch.ids, batch.on, rows)
        return torch.from_numpy(rows), gradient.sum(0), None


class NetModule(nn.Module):
    """Inputs dense, [batch, features], or a `Batch`; outputs [batch, heads]; tensors are named as in the weights file."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        for name, shape in sizes.shapes().items():
            self.register_parameter(name, nn.Parameter(torch.zeros(shape)))

    def forward(self, x: Tensor | Batch) -> Tensor:
        h = _SumOfRows.apply(self.rows, self.bias, x) if isinstance(x, Batch) else torch.addmm(self.bias, x, self.rows)
        h = torch.relu(h)
        h = torch.relu(torch.addmm(self.b1, h, self.w1))
        h = torch.relu(torch.addmm(self.b2, h, self.w2))
        return torch.addmm(self.b3, h, self.w3.T)

    def set_arrays(self, arrays: Arrays) -> None:
        """Take over the numbers of `arrays`."""
        with torch.no_grad():
            for name, array in arrays.items():
                getattr(self, name).copy_(torch.from_numpy(np.asarray(array, np.float32)))

    def arrays(self) -> Arrays:
        """A copy of the numbers."""
        return {name: parameter.detach().numpy().copy() for name, parameter in self.named_parameters()}
