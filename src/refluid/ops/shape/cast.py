"""cast: a conversion to another dtype."""

from __future__ import annotations

from typing import Any

from refluid.core.dtypes import torch_dtype
from refluid.ops.backward_ops import BackwardOp, Call
from refluid.ops.infer import Spec
from refluid.ops.registry import DType, Tensor, op


@op("Out", views="X")
def cast(X: Tensor, *, in_dtype: DType, out_dtype: DType) -> Tensor:
    """Out is X as out_dtype; fractions are truncated, and every number but 0 is True."""
    return X.to(torch_dtype(out_dtype))


@cast.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    return [Spec(inputs[0].shape, torch_dtype(attrs["out_dtype"]))]


@cast.grad
def cast_grad(Out_grad: Tensor, *, in_dtype: DType) -> Tensor:
    return Out_grad.to(torch_dtype(in_dtype))


@cast.gradient_ops
def _cast_back(op: Call) -> list[BackwardOp]:
    attrs = {"in_dtype": op.attrs["out_dtype"], "out_dtype": op.attrs["in_dtype"]}
    return [BackwardOp("cast", {"X": op.output("Out")}, {"Out": op.input("X")}, attrs, any_dtype=True)]
