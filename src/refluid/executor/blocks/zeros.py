"""Zeros for a gradient that no run of a body has contributed to."""

from __future__ import annotations

import torch

from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.executor.graph.value import Value
from refluid.executor.source import Source
from refluid.ops.registry import Tensor, define


def zeros_text(source: Source, owner: Value) -> str:
    """Source text for zeros in the shape of a value."""
    dtype = source.constant(dtypes.TORCH[owner.variable.dtype if owner.variable else VarType.FP32], "dtype")
    device = source.constant(source.device, "device")
    return f"torch.zeros({source.shape_of(owner)}, dtype={dtype}, device={device})"


def _zeros_like(X: Tensor) -> Tensor:
    return torch.zeros_like(X)


# Not registered: it exists in plans only.
ZerosLike = define(_zeros_like, "Out", type="zeros_like", lod=None, nograd="*")
