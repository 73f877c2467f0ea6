"""A network with its parameters, packed for the C++ code, and its steps for every shape of inputs that came."""

from __future__ import annotations

import threading
from typing import Any

import torch

from refluid.executor.network.build import Steps
from refluid.executor.network.layers import Description
from refluid.executor.network.packing import Packer
from refluid.executor.network.shapes import CannotPlan

_MOST_SHAPES = 8  # of which memory is kept: pictures of many sizes must not fill it

Shapes = tuple[torch.Size, ...]


class Network:
    """Made from the parameters of a plan, once; see Note [Values made from parameters]."""

    def __init__(self, *parameters: torch.Tensor, description: Description):
        self._description = description
        self._packer = Packer(parameters)
        self._ready: dict[Shapes, list[Steps] | None] = {}  # None: not for these shapes
        self._lock = threading.Lock()

    def run(self, inputs: list[Any]) -> tuple[torch.Tensor, ...] | None:
        """The results; None for inputs that it does not take."""
        for value in inputs:
            if type(value) is not torch.Tensor or value.dtype is not torch.float32 or not value.is_contiguous():
                return None
        key = tuple([value.shape for value in inputs])
        free = self._ready.get(key)
        if free is None:
            free = self._prepare(key)
            if free is None:
                return None
        try:
            steps = free.pop()  # nobody else may use its memory meanwhile
        except IndexError:
            steps = self._steps(key)
        try:
            return steps.run(inputs)
        finally:
            free.append(steps)

    def _prepare(self, key: Shapes) -> list[Steps] | None:
        with self._lock:
            if key in self._ready:
                return self._ready[key]
            if len(self._ready) >= _MOST_SHAPES:
                self._ready.clear()
            try:
                free: list[Steps] | None = [self._steps(key)]
            except CannotPlan:
                free = None
            self._ready[key] = free
            return free

    def _steps(self, key: Shapes) -> Steps:
        return Steps(self._description, list(key), self._packer)


def run_network(network: Network, inputs: list[Any]) -> tuple[torch.Tensor, ...] | None:
    """The results of a network, for the line of a plan."""
    return network.run(inputs)
