"""The same net in torch, to train it."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from searchdou.nets.files import Arrays, Sizes


class NetModule(nn.Module):
    """Dense inputs [batch, features], outputs [batch, heads]; the tensors are named as in the weights file."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        for name, shape in sizes.shapes().items():
            self.register_parameter(name, nn.Parameter(torch.zeros(shape)))

    def forward(self, x: Tensor) -> Tensor:
        h = torch.relu(torch.addmm(self.bias, x, self.rows))
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
