"""gru and its gradient as one call each of a C++ kernel (native/kernels/gru.cpp)."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from refluid.native import call as native
from refluid.ops.sequence.gates import NUMBERS
from refluid.ops.sequence.steps import Steps

Tensor = torch.Tensor


class Gru(NamedTuple):
    """What both passes take: parameters, the state before the first step, and attributes of the operator."""

    steps: Steps
    weight: Tensor
    bias: Tensor | None
    h0: Tensor | None
    gate: str
    candidate: str
    origin_mode: bool

    def arguments(self) -> list[Any]:
        width, threads = self.weight.shape[0], torch.get_num_threads()
        tensors = [None if t is None else t.contiguous() for t in (self.weight, self.bias, self.h0)]
        return [
            *self.steps.for_kernels, width, *tensors, NUMBERS[self.gate], NUMBERS[self.candidate], self.origin_mode,
            threads,
        ]  # fmt: skip


def forward(net: Gru, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """BatchGate, BatchResetHiddenPrev, BatchHidden and Hidden."""
    gates, hidden = torch.empty_like(x, memory_format=torch.contiguous_format), x.new_empty(len(x), net.weight.shape[0])
    resets, hiddens = torch.empty_like(hidden), torch.empty_like(hidden)
    native.call("gru_forward_", *net.arguments(), x.contiguous(), gates, resets, hiddens, hidden)
    return gates, resets, hiddens, hidden


def backward(
    net: Gru, gates: Tensor, hiddens: Tensor, hidden_grad: Tensor
) -> tuple[Tensor, Tensor | None, Tensor, Tensor | None]:
    """The gradients of Input, H0, Weight and Bias."""
    gates, hiddens, size = gates.contiguous(), hiddens.contiguous(), net.weight.shape[0]
    input_grad, before, resets = torch.empty_like(gates), torch.empty_like(hiddens), torch.empty_like(hiddens)
    h0_grad = None if net.h0 is None else torch.zeros_like(net.h0, memory_format=torch.contiguous_format)
    shares = min(torch.get_num_threads(), net.steps.sizes[0])
    bias_grads = gates.new_empty(shares, 3 * size)
    native.call(
        "gru_backward_", *net.arguments(), gates, hiddens, hidden_grad.contiguous(), input_grad, before, resets,
        h0_grad, bias_grads,
    )  # fmt: skip
    # One product over all steps for each of the two matrices, which are stored one after the other.
    weight_grad = torch.empty_like(net.weight, memory_format=torch.contiguous_format)
    flat = weight_grad.view(-1)
    torch.mm(before.t(), input_grad[:, : 2 * size], out=flat[: 2 * size * size].view(size, 2 * size))
    torch.mm(resets.t(), input_grad[:, 2 * size :], out=flat[2 * size * size :].view(size, size))
    return input_grad, h0_grad, weight_grad, None if net.bias is None else bias_grads.sum(0).reshape(net.bias.shape)
