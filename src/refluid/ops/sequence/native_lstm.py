"""lstm and its gradient as one call each of a C++ kernel (native/kernels/lstm.cpp)."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from refluid.native import call as native
from refluid.ops.sequence.gates import NUMBERS
from refluid.ops.sequence.steps import Steps

Tensor = torch.Tensor


class Lstm(NamedTuple):
    """What both passes take: parameters, states before the first step, and attributes of the operator."""

    steps: Steps
    weight: Tensor
    bias: Tensor
    h0: Tensor | None
    c0: Tensor | None
    peepholes: bool
    gate: str
    cell: str
    candidate: str

    def arguments(self) -> list[Any]:
        width, threads = self.weight.shape[0], torch.get_num_threads()
        tensors = [None if t is None else t.contiguous() for t in (self.weight, self.bias, self.h0, self.c0)]
        kinds = (NUMBERS[self.gate], NUMBERS[self.cell], NUMBERS[self.candidate])
        return [*self.steps.for_kernels, width, *tensors, self.peepholes, *kinds, threads]


def forward(net: Lstm, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Hidden, Cell, BatchGate and BatchCellPreAct."""
    x, hidden = x.contiguous(), x.new_empty(x.shape[0], net.weight.shape[0])
    cell, actives, gates = torch.empty_like(hidden), torch.empty_like(hidden), torch.empty_like(x)
    native.call("lstm_forward_", *net.arguments(), x, hidden, cell, gates, actives)
    return hidden, cell, gates, actives


def backward(
    net: Lstm,
    hidden: Tensor,
    cell: Tensor,
    gates: Tensor,
    actives: Tensor,
    hidden_grad: Tensor,
    cell_grad: Tensor | None,
) -> tuple[Tensor, Tensor | None, Tensor | None, Tensor, Tensor]:
    """The gradients of Input, H0, C0, Weight and Bias."""
    hidden, cell, gates, actives = (t.contiguous() for t in (hidden, cell, gates, actives))
    input_grad, before = torch.empty_like(gates), torch.empty_like(hidden)
    h0_grad, c0_grad = (
        None if t is None else torch.zeros_like(t, memory_format=torch.contiguous_format) for t in (net.h0, net.c0)
    )
    shares = min(torch.get_num_threads(), net.steps.sizes[0])
    bias_grads = net.bias.new_empty(shares, net.bias.numel())
    native.call(
        "lstm_backward_", *net.arguments(), hidden, cell, gates, actives, hidden_grad.contiguous(),
        None if cell_grad is None else cell_grad.contiguous(), input_grad, before, h0_grad, c0_grad, bias_grads,
    )  # fmt: skip
    # One product over all steps.
    return input_grad, h0_grad, c0_grad, before.t().mm(input_grad), bias_grads.sum(0).reshape(net.bias.shape)
