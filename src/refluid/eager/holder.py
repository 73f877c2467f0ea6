"""Variables of the imperative mode without a value, for operators to write to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from refluid.core import dtypes
from refluid.eager.base import tape
from refluid.eager.variable import VarBase

if TYPE_CHECKING:
    from refluid.core.types import Dtype


def holder(
    dtype: Dtype | None = None,
    name: str | None = None,
    shape: Sequence[int] = (0,),
    persistable: bool | None = False,
    **program_only: object,
) -> VarBase:
    """A variable without a value of its own yet; what only programs need to know is left out."""
    kind = dtypes.torch_dtype("float32" if dtype is None else dtype)
    sizes = [0] if shape is None else [max(size, 0) for size in shape]
    var = VarBase(torch.zeros(sizes, dtype=kind, device=tape().device))
    var.persistable = bool(persistable)
    if name is not None:
        var.name = name
    return var
