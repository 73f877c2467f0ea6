"""What tensors that are joined must have in common."""

from __future__ import annotations

from typing import Any

from refluid.core.dtypes import TORCH_NAME
from refluid.core.errors import ArgumentError


def check_one_dtype(X: list[Any]) -> None:
    """Refuse tensors (or specs) of several dtypes, which torch would promote and Fluid does not take."""
    dtype = X[0].dtype
    for i, x in enumerate(X):
        if x.dtype != dtype:
            raise ArgumentError(f"X[{i}] is {TORCH_NAME[x.dtype]}, but X[0] is {TORCH_NAME[dtype]}; use cast first")
