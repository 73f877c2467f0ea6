"""Embeddings of ids and of positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.core.warn import warn_once
from refluid.ir.base_variable import BaseVariable
from refluid.ops import registry
from refluid.ops.shape.add_position_encoding import add_position_encoding as add_position_encoding_op
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter


def embedding(
    input: BaseVariable,
    size: Sequence[int],
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: AttrLike = None,
    dtype: Dtype = "float32",
) -> BaseVariable:
    """fluid.layers.embedding: the rows of a table, one for each id.

    Args:
        input: int64 ids [..., 1].
        size: [rows, width] of the table.
        is_sparse: the gradient of the table holds only the rows that were looked up (SelectedRows).
        is_distributed: the table is on parameter servers.
        padding_idx: this id gives zeros and gets no gradient; negative ones count from the end of the table; None for
            none.
        param_attr: settings of the table.
        dtype: the dtype of the table, float32 or float64.

    Returns:
        A variable [..., width] with the LoD of the ids.

    Example:
        >>> words = fluid.data("words", [None, 1], "int64", lod_level=1)
        >>> fluid.layers.embedding(words, size=[1000, 16]).shape
        (-1, 16)
    """
    return _embedding("lookup_table", input, size, is_sparse, is_distributed, padding_idx, param_attr, dtype)


def fluid_embedding(
    input: BaseVariable,
    size: Sequence[int],
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: AttrLike = None,
    dtype: Dtype = "float32",
) -> BaseVariable:
    """fluid.embedding: the rows of a table, one for each id, along a new last axis.

    Args:
        input: int64 ids of any shape.
        size: [rows, width] of the table.
        is_sparse: the gradient of the table holds only the rows that were looked up (SelectedRows).
        is_distributed: the table is on parameter servers.
        padding_idx: this id gives zeros and gets no gradient; negative ones count from the end of the table; None for
            none.
        param_attr: settings of the table.
        dtype: the dtype of the table, float32 or float64.

    Returns:
        A variable [*input.shape, width] with the LoD of the ids.

    Example:
        >>> words = fluid.data("words", [None, 20], "int64")
        >>> fluid.embedding(words, size=[1000, 16]).shape
        (-1, 20, 16)
    """
    return _embedding("lookup_table_v2", input, size, is_sparse, is_distributed, padding_idx, param_attr, dtype)


def _embedding(op_type: str, input: BaseVariable, size: Sequence[int], is_sparse: bool, is_distributed: bool,
padding_idx: int | None,
               param_attr: AttrLike, dtype: Dtype) -> BaseVariable:  # fmt: skip
    if not isinstance(size, list | tuple | np.ndarray) or len(size) != 2 or not all(int(n) > 0 for n in size):
        raise ArgumentError(f"embedding: size must be [rows, width], got {size!r}")
    rows = int(size[0])
    padding = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else rows + padding_idx
    if padding_idx is not None and not -rows <= padding_idx < rows:
        warn_once(f"embedding: padding_idx lies in [-{rows}, {rows}), got {padding_idx}, which is no row of the table")
    layer = LayerName("embedding")
    table = make_parameter(param_attr, size, dtype, layer=layer)
    return registry.get(op_type)(
        table, input, name=layer, is_sparse=is_sparse, is_distributed=is_distributed,
        remote_prefetch=bool(is_sparse and not is_distributed), padding_idx=padding,
    )  # fmt: skip


def add_position_encoding(input: BaseVariable, alpha: float, beta: float, name: str | None = None) -> BaseVariable:
    """alpha * input + beta * the sinusoidal position encoding (Vaswani et al., 2017).

    Args:
        input: a float variable [N, length, D], or a LoDTensor [total length, D].
        alpha: the factor of input.
        beta: the factor of the encoding.

    Returns:
        A variable of the shape, dtype and LoD of input.
    """
    return add_position_encoding_op(input, name=name, alpha=alpha, beta=beta)
