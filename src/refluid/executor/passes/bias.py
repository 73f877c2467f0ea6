"""Gives a convolution or matrix product its bias, where an `elementwise_add` follows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch

from refluid.executor.step import Step
from refluid.ops.math.mul import as_matrix, product_shape
from refluid.ops.registry import OpDef

_CONVOLUTIONS = {"conv2d", "depthwise_conv2d", "conv3d"}


def fuse_bias(steps: list[Step], fetches: set[str], persistable: Callable[[str], bool]) -> list[Step]:
    """conv2d + elementwise_add(bias) becomes conv2d with Bias; mul or matmul + elementwise_add(bias) one addmm."""
    readers = Counter(name for step in steps for name in step.value_reads())
    maker = {name: step for step in steps if not step.body for name in step.writes()}
    writes = Counter(name for step in steps for name in step.writes())
    gone: set[int] = set()
    same_shape: dict[str, str] = {}  # a sum that is computed no more -> what has its shape
    result: list[Step] = []
    for step in steps:
        fused = None
        if step.op.type == "elementwise_add":
            (x,), (bias,) = step.inputs[0], step.inputs[1]
            producer = maker.get(x or "")
            alone = x is not None and readers[x] == 1 and writes[x] == 1 and x not in fetches
            if producer is not None and alone and bias and persistable(bias) and not persistable(x or ""):
                fused = _with_bias(producer, step, bias)
        if fused is None:
            result.append(step)
        else:
            gone.add(id(producer))
            same_shape[x or ""] = fused.outputs[0][0] or ""
            result.append(fused)
    kept = [step for step in result if id(step) not in gone]
    for step in kept:
        for param in step.op.params:
            if param.kind == "shape":
                step.inputs[param.slot] = [same_shape.get(n or "", n) for n in step.inputs[param.slot]]
    return kept


def _with_bias(producer: Step, add: Step, bias: str) -> Step | None:
    var = add.operator.block.find_var(bias)
    if var is None or len(var.shape) != 1:
        return None
    axis, rank = add.attrs.get("axis", -1), len(_shape(add))
    if producer.op.type in _CONVOLUTIONS and axis == 1 and "Bias" in producer.op.input_index:
        slot = producer.op.input_index["Bias"]
        if producer.inputs[slot] or producer.attrs.get("data_format", "NCHW") in ("NHWC", "NDHWC"):
            return None
        inputs = [list(names) for names in producer.inputs]
        inputs[slot] = [bias]
        return Step(
            producer.op, producer.operator, inputs, add.outputs, producer.attrs, label=f"{producer.op.type}_bias"
        )
    if producer.op.type == "matmul" and axis in (-1, rank - 1) and rank > 1 and _is_linear(producer):
        inputs = [*producer.inputs, [bias]]
        return Step(_MulBias, producer.operator, inputs, add.outputs, {"x_num_col_dims": -1}, label="mul_bias")
    if producer.op.type == "mul" and axis in (-1, rank - 1) and producer.attrs.get("y_num_col_dims", 1) == 1:
        columns = producer.attrs.get("x_num_col_dims", 1)
        inputs = [*producer.inputs, [bias]]
        return Step(_MulBias, producer.operator, inputs, add.outputs, {"x_num_col_dims": columns}, label="mul_bias")
    return None


def _is_linear(matmul: Step) -> bool:
    """Whether it is X.Y for one matrix Y."""
    y = matmul.operator.block.find_var(matmul.inputs[1][0] or "")
    attrs = matmul.attrs
    plain = (
        not attrs["transpose_X"] and not attrs["transpose_Y"] and attrs["alpha"] == 1.0 and attrs["head_number"] <= 1
    )
    return plain and y is not None and len(y.shape) == 2


def _shape(add: Step) -> tuple[int, ...]:
    var = add.operator.block.find_var(add.outputs[0][0] or "") if add.outputs[0] else None
    return var.shape if var is not None else ()


def _mul_bias(X: torch.Tensor, Y: torch.Tensor, Bias: torch.Tensor, *, x_num_col_dims: int = 1) -> Any:
    """X.Y + Bias in one call; -1: all axes of X but the last are rows, however many are fed."""
    if X.dim() == 2 and X.shape[1] == Y.shape[0] and X.dtype is Y.dtype:
        return torch.addmm(Bias, X, Y)
    columns_from = X.dim() - 1 if x_num_col_dims == -1 else x_num_col_dims
    shape = product_shape(X, Y, columns_from, 1)
    return torch.addmm(Bias, as_matrix(X, columns_from), Y).reshape(shape)


# Not registered: it exists in plans only.
_MulBias = OpDef(_mul_bias, "Out", type="mul_bias", lod="X", nograd="*")
