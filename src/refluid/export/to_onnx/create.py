"""New tensors: constants, shapes, ranges; and casts."""

from __future__ import annotations

import torch

from refluid.core.dtypes import VarType, torch_dtype
from refluid.export.mapping import Value
from refluid.export.to_onnx.graph import Graph, maps
from refluid.ops.shape.fill_constant import number


@maps("cast")
def cast(g: Graph, X: Value, *, out_dtype: int) -> str:
    return g.cast(X, torch_dtype(out_dtype))


@maps("fill_constant")
def fill_constant(
    g: Graph, ValueTensor: Value | None, ShapeTensor: Value | None, ShapeTensorList: list[Value], *, dtype: int,
    shape: list[int], value: float, str_value: str,
) -> str:  # fmt: skip
    wanted, sizes = torch_dtype(dtype), g.given(shape or [1], ShapeTensor, ShapeTensorList)
    if ValueTensor is not None:
        return g.node("Expand", g.cast(g.reshape(ValueTensor, 1), wanted), sizes)
    return g.full(sizes, number(value, str_value, wanted), wanted)


@maps("fill_constant_batch_size_like")
def fill_constant_batch_size_like(
    g: Graph, Input: Value, *, shape: list[int], input_dim_idx: int, output_dim_idx: int, dtype: int, value: float,
    str_value: str,
) -> str:  # fmt: skip
    # Fluid: the batch size of a LoD tensor is its number of sequences.
    source, axis = (Input.lod[-1], 0) if Input.lod and input_dim_idx == 0 else (Input.name, input_dim_idx)
    parts = [g.sizes(source, axis, axis + 1) if i == output_dim_idx else g.ints(n) for i, n in enumerate(shape)]
    wanted = torch_dtype(dtype)
    return g.full(g.concat(*parts), number(value, str_value, wanted), wanted)


@maps("fill_any_like")
def fill_any_like(g: Graph, X: Value, *, value: float, dtype: int) -> str:
    wanted = X.dtype if dtype < 0 else torch_dtype(dtype)
    return g.full(g.sizes(X), number(value, "", wanted), wanted)


@maps("fill_zeros_like", "fill_zeros_like2")
def fill_zeros_like(g: Graph, X: Value) -> str:
    return g.full(g.sizes(X), 0, X.dtype)


@maps("assign_value")
def assign_value(
    g: Graph, *, shape: list[int], dtype: int, bool_values: list[int], fp32_values: list[float],
    int32_values: list[int], int64_values: list[int],
) -> str:  # fmt: skip
    lists = {VarType.BOOL: bool_values, VarType.FP32: fp32_values, VarType.INT32: int32_values}
    values = torch.tensor(lists.get(VarType(dtype), int64_values), dtype=torch_dtype(dtype))
    return g.constant(values.reshape(shape).numpy(), torch_dtype(dtype))


@maps("shape")
def shape(g: Graph, Input: Value) -> str:
    return g.cast(g.sizes(Input), torch.int32)


@maps("size")
def size(g: Graph, Input: Value) -> str:
    return g.reshape(g.node("Size", Input), 1)


@maps("range")
def range(g: Graph, Start: Value, End: Value, Step: Value) -> str:
    return g.node("Range", *(g.reshape(one) for one in (Start, End, Step)))


@maps("eye")
def eye(g: Graph, *, num_rows: int, num_columns: int, dtype: int) -> str:
    wanted = torch_dtype(dtype)
    columns = num_rows if num_columns == -1 else num_columns
    return g.constant(torch.eye(num_rows, columns, dtype=wanted).numpy(), wanted)
