"""shape, size: the shape and the number of elements, as tensors."""

from __future__ import annotations

from typing import Any

import torch

from refluid.ops.registry import Tensor, op


@op("Out", nograd="*", lod=None)
def shape(Input: Tensor) -> Tensor:
    """Out [rank of Input] are the sizes of Input; int32."""
    return torch.tensor(Input.shape, dtype=torch.int32, device=Input.device)


@op("Out", nograd="*", lod=None)
def size(Input: Tensor) -> Tensor:
    """Out [1] is the number of elements of Input; int64."""
    return torch.tensor([Input.numel()], dtype=torch.int64, device=Input.device)


@shape.infer
def _shape_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [((len(inputs[0].shape),), torch.int32)]
