"""Activations that write over their input, for the imperative mode: where nothing else reads that input.

Their gradients read the output alone. Programs never hold them; plans find such places by themselves
(executor/passes/inplace.py).
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.ops.activation.rectifiers import relu
from refluid.ops.activation.sigmoids import sigmoid, tanh
from refluid.ops.registry import FLOATS, OpDef, Tensor, define


def _in_place(op: OpDef, function: Callable[[Tensor], Tensor]) -> OpDef:
    def kernel(X: Tensor) -> Tensor:
        return function(X)

    op_in_place = define(kernel, "Out", type=op.type, like="X", dtypes={"X": FLOATS}, views="X")
    op_in_place.rules.gradient = op.gradient
    return op_in_place


IN_PLACE = {
    "relu": _in_place(relu, torch.relu_),
    "sigmoid": _in_place(sigmoid, torch.sigmoid_),
    "tanh": _in_place(tanh, torch.tanh_),
}
