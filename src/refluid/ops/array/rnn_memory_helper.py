"""rnn_memory_helper: what a step of a StaticRNN gives, under a name of its own."""

from __future__ import annotations

from refluid.core.dtypes import VarType
from refluid.ops.registry import Shape, Tensor, op


@op("Out", views="X")
def rnn_memory_helper(X: Tensor, *, dtype: int = int(VarType.FP32)) -> Tensor:
    """Out is X. The dtype is for readers of the program."""
    return X


@rnn_memory_helper.grad
def rnn_memory_helper_grad(X: Shape, Out: Shape, Out_grad: Tensor, *, dtype: int = int(VarType.FP32)) -> Tensor:
    return Out_grad
