"""Updates of single rows, by the kernels that update whole parameters.

An optimizer is row-wise if what it does to a row depends on that row alone. Of the others lamb and lars_momentum read
norms of the whole parameter and dpsgd samples one number for all of it: they are refused. A row without a gradient is
left as it is: momentum and the like do not decay there, and adam is the lazy one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from refluid.core.errors import ArgumentError
from refluid.ops import registry
from refluid.tensor.selected_rows import SelectedRows

# The accumulators that have a row for every row of the parameter. Other inputs (the learning rate, the powers of
# betas) are tensors of one element that belong to the whole table.
ROW_STATES: dict[str, tuple[str, ...]] = {
    "sgd": (),
    "momentum": ("Velocity",),
    "adagrad": ("Moment",),
    "decayed_adagrad": ("Moment",),
    "adadelta": ("AvgSquaredGrad", "AvgSquaredUpdate"),
    "adam": ("Moment1", "Moment2"),
    "adamax": ("Moment", "InfNorm"),
    "rmsprop": ("MeanSquare", "MeanGrad", "Moment"),
    "ftrl": ("SquaredAccumulator", "LinearAccumulator"),
    "proximal_gd": (),
    "proximal_adagrad": ("Moment",),
}


def row_states(op_type: str) -> tuple[str, ...]:
    """The slots of the accumulators that have a row per row."""
    if op_type not in ROW_STATES:
        names = ", ".join(sorted(ROW_STATES))
        raise ArgumentError(f"{op_type} cannot update single rows of a distributed table; these can: {names}")
    return ROW_STATES[op_type]


def update_rows(
    op_type: str,
    columns: Mapping[str, torch.Tensor],
    grad: torch.Tensor,
    shared: Mapping[str, torch.Tensor],
    attrs: Mapping[str, Any],
) -> None:
    """Run the kernel in place on gathered rows: `columns` has Param and the accumulators, one row per row of `grad`."""
    op = registry.get(op_type)
    gradient: Any = grad
    options = op.kernel_attrs(dict(attrs))
    if op_type == "adam":
        # With a sparse gradient Fluid's adam moves the powers of the betas on before it reads them.
        gradient = SelectedRows.of(torch.arange(grad.shape[0]), grad, grad.shape[0])
        options["lazy_mode"] = True
    op.kernel(**columns, **shared, Grad=gradient, **options)
