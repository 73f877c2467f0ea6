"""Variables of the imperative mode for something to be written to."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core import dtypes
from refluid.eager.base import tape
from refluid.eager.variable import VarBase


def holder(
    dtype: Any = None, name: str | None = None, shape: Any = (0,), persistable: bool | None = False, **program_only: Any
) -> VarBase:
    """A variable without a value of its own yet; what only programs need to know is left out."""
    kind = dtypes.torch_dtype("float32" if dtype is None else dtype)
    sizes = [0] if shape is None else [max(size, 0) for size in shape]
    var = VarBase(torch.zeros(sizes, dtype=kind, device=tape().device))
    var.persistable = bool(persistable)
    if name is not None:
        var.name = name
    return var
