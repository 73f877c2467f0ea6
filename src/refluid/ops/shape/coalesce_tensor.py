"""coalesce_tensor: tensors in one contiguous piece of memory."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.dtypes import VarType, torch_dtype
from refluid.core.errors import ArgumentError
from refluid.ops.infer import Spec
from refluid.ops.registry import Tensor, op

CHUNK = 4096  # bytes: every tensor begins at a multiple, as on Fluid's CPUs


@op("Output FusedOutput", lod=None, duplicable="Output", nograd="*", extra_attrs={"check_name": "BOOLEAN"})
def coalesce_tensor(
    Input: list[Tensor],
    *,
    dtype: int = int(VarType.FP32),
    copy_data: bool = False,
    set_constant: bool = False,
    constant: float = 0.0,
) -> tuple[list[Tensor], Tensor]:
    """Output are views of FusedOutput with the shapes of Input; they hold Input (copy_data), the constant, or zeros."""
    kind = torch_dtype(dtype)
    if copy_data and set_constant:
        raise ArgumentError("copy_data and set_constant cannot both be True")
    sizes = [_room(x, kind) for x in Input]
    whole = torch.full((sum(sizes),), constant if set_constant else 0.0, dtype=kind, device=Input[0].device)
    parts = [part[: x.numel()].view(x.shape) for part, x in zip(whole.split(sizes), Input, strict=True)]
    if copy_data:
        for part, x in zip(parts, Input, strict=True):
            part.copy_(x)
    return parts, whole


@coalesce_tensor.infer
def coalesce_tensor_shape(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    kind = torch_dtype(attrs["dtype"])
    return [[Spec(x.shape, kind) for x in inputs[0]], Spec((-1,), kind)]


def _room(x: Tensor, kind: torch.dtype) -> int:
    """The number of elements of the tensor, alignment padding included."""
    return -(-x.numel() * kind.itemsize // CHUNK) * CHUNK // kind.itemsize
