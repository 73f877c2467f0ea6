"""Fuses the `elementwise_add` of a bias into the convolution or matrix product before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value, Values
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.math.matmul import matmul
from refluid.ops.math.mul import as_matrix, mul, product_shape
from refluid.ops.math.products import addmm
from refluid.ops.nn.geometry import is_channels_last
from refluid.ops.registry import define

if TYPE_CHECKING:
    from torch import Tensor


def fuse_bias(graph: Graph) -> None:
    """conv2d + elementwise_add(bias) becomes conv2d with Bias; mul or matmul + elementwise_add(bias) one addmm."""
    gone: set[Node] = set()
    result: list[Node] = []
    for node in graph.nodes:
        fused = _fused(graph, node) if node.op is elementwise_add and node.body is None else None
        if fused is None:
            result.append(node)
            continue
        x, total = node.inputs[0][0], fused.output()
        assert x is not None and total is not None and x.maker is not None
        gone |= {x.maker, node}
        for reader in list(x.readers):  # nodes that read its shape alone read that of the sum
            for slot, values in enumerate(reader.inputs) if reader is not node else ():
                if x in values:
                    reader.read(slot, [total if value is x else value for value in values])
        result.append(fused)
    graph.set([node for node in result if node not in gone])


def _fused(graph: Graph, add: Node) -> Node | None:
    (x,), (bias,) = add.inputs
    if x is None or bias is None or not graph.own(x) or not bias.persistable or len(bias.shape) != 1:
        return None
    maker = x.maker
    if maker is None or maker.body is not None or any(x in r.value_reads() for r in x.readers if r is not add):
        return None
    if any(reader.region is not graph for reader in x.readers):
        return None
    total = add.output()
    return None if total is None else _with_bias(maker, add, bias, total)


def _with_bias(maker: Node, add: Node, bias: Value, total: Value) -> Node | None:
    axis, rank = add.attrs.get("axis", -1), len(total.shape)
    op, attrs, last = maker.op, maker.attrs, axis in (-1, rank - 1)
    if op.convolution is not None and not op.convolution.transposed and axis == 1:
        slot = op.input_index["Bias"]
        if maker.inputs[slot] or is_channels_last(attrs.get("data_format", "NCHW")):
            return None
        inputs: list[Values] = [[bias] if i == slot else list(values) for i, values in enumerate(maker.inputs)]
        return Node(op, maker.operator, inputs, add.outputs, attrs, label=f"{op.type}_bias")
    inputs = [*(list(values) for values in maker.inputs), [bias]]
    if op is matmul and last and rank > 1 and _is_linear(maker):
        return Node(MulBias, maker.operator, inputs, add.outputs, {"x_num_col_dims": -1}, label="mul_bias")
    if op is mul and last and attrs.get("y_num_col_dims", 1) == 1:
        columns = attrs.get("x_num_col_dims", 1)
        return Node(MulBias, maker.operator, inputs, add.outputs, {"x_num_col_dims": columns}, label="mul_bias")
    return None


def _is_linear(product: Node) -> bool:
    """Whether it is X.Y for one matrix Y."""
    y, attrs = product.inputs[1][0], product.attrs
    plain = (
        not attrs["transpose_X"] and not attrs["transpose_Y"] and attrs["alpha"] == 1.0 and attrs["head_number"] <= 1
    )
    return plain and y is not None and len(y.shape) == 2


def _mul_bias(X: torch.Tensor, Y: torch.Tensor, Bias: torch.Tensor, *, x_num_col_dims: int = 1) -> Tensor:
    """X.Y + Bias in one call; -1: all axes of X but the last are rows, however many are fed."""
    if X.dim() == 2 and X.shape[1] == Y.shape[0] and X.dtype is Y.dtype:
        return addmm(Bias, X, Y)
    columns_from = X.dim() - 1 if x_num_col_dims == -1 else x_num_col_dims
    shape = product_shape(X, Y, columns_from, 1)
    return addmm(Bias, as_matrix(X, columns_from), Y).reshape(shape)


# Not registered: it exists in plans only.
MulBias = define(_mul_bias, "Out", type="mul_bias", lod="X", nograd="*", fresh=True)
