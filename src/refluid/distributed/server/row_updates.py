"""Updates of single rows, by the kernels that update whole parameters.

An optimizer is row-wise if what it does to a row depends on that row alone: its operator has `row_states`. Of the
others lamb and lars_momentum read norms of the whole parameter and dpsgd samples one number for all of it: they are
refused. A row without a gradient is left as it is: momentum and the like do not decay there, and adam is the lazy one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from refluid.core.errors import ArgumentError
from refluid.ops import registry
from refluid.tensor.selected_rows import SelectedRows


def updates_rows(op_type: str) -> bool:
    """Whether an operator can update single rows of a parameter."""
    op = registry.find(op_type)
    return op is not None and op.row_states is not None


def row_states(op_type: str) -> tuple[str, ...]:
    """The slots of the accumulators that have a row per row."""
    op = registry.find(op_type)
    if op is None or op.row_states is None:
        names = ", ".join(sorted(filter(updates_rows, registry.all_types())))
        raise ArgumentError(f"{op_type} cannot update single rows of a distributed table; these can: {names}")
    return op.row_states


def update_rows(
    op_type: str,
    columns: Mapping[str, torch.Tensor],
    grad: torch.Tensor,
    shared: Mapping[str, torch.Tensor],
    attrs: Mapping[str, Any],
) -> None:
    """Run the kernel in place on gathered rows: `columns` has Param and the accumulators, one row per row of `grad`."""
    op = registry.get(op_type)
    gradient: torch.Tensor | SelectedRows = grad
    options = op.kernel_attrs(dict(attrs))
    if op_type == "adam":
        # With a sparse gradient Fluid's adam moves the powers of the betas on before it reads them.
        gradient = SelectedRows.of(torch.arange(grad.shape[0]), grad, grad.shape[0])
        options["lazy_mode"] = True
    op.kernel(**columns, **shared, Grad=gradient, **options)
