"""Filters and matrices in the order in which the C++ code reads them."""

from __future__ import annotations

import functools

import torch

from refluid.executor.network.shapes import CannotPlan, Shape
from refluid.native import call as native


class Packer:
    """The parameters of a network; what is packed is kept."""

    def __init__(self, parameters: tuple[torch.Tensor, ...]):
        self._parameters = parameters
        self._packed: dict[tuple, torch.Tensor] = {}

    @functools.cached_property
    def lanes(self) -> int:
        return native.call("network_lanes")

    @functools.cached_property
    def tile(self) -> int:
        """How many pixels, or patches, the kernels multiply at a time."""
        return native.call("network_tile")

    def sizes_of(self, parameter: int) -> torch.Size:
        return self._parameters[parameter].shape

    def weights(self, parameter: int, shape: Shape) -> torch.Tensor:
        """A filter, or a matrix as a filter of the size of the image that it is multiplied with."""
        key = (parameter, shape.channels, shape.lanes)
        if key not in self._packed:
            filters = self._checked(parameter)
            if filters.dim() == 2:
                filters = filters.t().reshape(filters.shape[1], shape.channels, -1, 1)
            self._packed[key] = _packed(filters, shape.lanes, self.lanes)
        return self._packed[key]

    def transformed(self, parameter: int) -> torch.Tensor:
        """A filter of 3 x 3, transformed for Winograd's patches: [pair of blocks of filters][16][channel][filter]."""
        key = (parameter, "transformed")
        if key not in self._packed:
            filters = self._checked(parameter).double()
            matrix = torch.tensor([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]], dtype=torch.float64)
            patches = torch.einsum("ij,fcjk,lk->fcil", matrix, filters, matrix).flatten(2).float()
            count, channels, _ = patches.shape
            blocks, in_blocks = -(-count // self.lanes), -(-channels // self.lanes)
            rows = torch.zeros(blocks * self.lanes, in_blocks * self.lanes, 16)
            rows[:count, :channels] = patches
            paired = blocks // 2 * 2 * self.lanes
            pairs = rows[:paired].reshape(-1, 2 * self.lanes, in_blocks * self.lanes, 16).permute(0, 3, 2, 1)
            self._packed[key] = torch.cat([pairs.flatten(), rows[paired:].permute(2, 1, 0).flatten()])
        return self._packed[key]

    def bias(self, parameter: int | None, blocks: int) -> torch.Tensor:
        key = (parameter, blocks)
        if key not in self._packed:
            self._packed[key] = bias = torch.zeros(blocks * self.lanes)
            if parameter is not None:
                values = self._checked(parameter)
                bias[: len(values)] = values
        return self._packed[key]

    def _checked(self, parameter: int) -> torch.Tensor:
        """Margins are multiplied too, so that infinity would make NaN of their zeros."""
        value = self._parameters[parameter]
        if value.dtype is not torch.float32 or not bool(torch.isfinite(value).all()):
            raise CannotPlan
        return value


def _packed(filters: torch.Tensor, in_lanes: int, lanes: int) -> torch.Tensor:
    """[pair of blocks of filters][block of channels][row][column][channel][filter]; the last block may be single."""
    count, channels, height, width = filters.shape
    blocks = -(-count // lanes)
    rows = torch.zeros(blocks * lanes, channels, height, width)
    rows[:count] = filters
    whole = channels - channels % in_lanes
    flat = rows[:, :whole].reshape(blocks * lanes, -1, in_lanes, height, width).permute(0, 1, 3, 4, 2).flatten(1)
    rest = rows[:, whole:].permute(0, 2, 3, 1).flatten(1)
    flat = torch.cat([flat, rest], 1)
    depth = flat.shape[1]
    paired = blocks // 2 * 2 * lanes
    pairs = flat[:paired].reshape(-1, 2, lanes, depth).permute(0, 3, 1, 2)
    single = flat[paired:].t()
    return torch.cat([pairs.flatten(), single.flatten()])
