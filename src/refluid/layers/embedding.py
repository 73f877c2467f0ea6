"""Ids into vectors: embedding, and the encoding of positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.core.warn import warn_once
from refluid.ops import registry
from refluid.ops.shape.add_position_encoding import add_position_encoding as add_position_encoding_op
from refluid.params.create import make_parameter


def embedding(
    input: Any,
    size: Any,
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Any:
    """fluid.layers.embedding: the rows of a table, one for each id.

    Args:
        input: int64 ids [..., 1].
        size: [rows, width] of the table.
        is_sparse: its gradient holds only the rows that were looked up (SelectedRows).
        is_distributed: the table lives on parameter servers.
        padding_idx: this id gives zeros and gets no gradient; negative ones count from the end of the table.
        param_attr: settings of the table.
    Returns:
        [..., width]; it carries the LoD of the ids.
    """
    return _embedding("lookup_table", input, size, is_sparse, is_distributed, padding_idx, param_attr, dtype)


def fluid_embedding(
    input: Any,
    size: Any,
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Any:
    """fluid.embedding: as layers.embedding, but ids [...] of any shape give [..., width]."""
    return _embedding("lookup_table_v2", input, size, is_sparse, is_distributed, padding_idx, param_attr, dtype)


def _embedding(op_type: str, input: Any, size: Any, is_sparse: bool, is_distributed: bool, padding_idx: int | None,
               param_attr: Any, dtype: Any) -> Any:  # fmt: skip
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


def add_position_encoding(input: Any, alpha: float, beta: float, name: str | None = None) -> Any:
    """alpha * input + beta * sines and cosines of the position (Vaswani et al., 2017).

    Args:
        input: [N, length, width], or a LoDTensor [total length, width].
    """
    return add_position_encoding_op(input, name=name, alpha=alpha, beta=beta)
