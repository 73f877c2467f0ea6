"""accuracy: the fraction of samples whose label is among the predicted classes."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, Tensor, op


@op("Accuracy Correct Total", lod=None, dtypes={"Indices": INDICES, "Label": INDICES}, nograd="*", late="Label")
def accuracy(Out: Tensor, Indices: Tensor, Label: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Out and Indices [N, k] are top_k's, Label is [N, 1]. Returns the fraction and the two counts, each [1]."""
    if Indices.dim() != 2 or Indices.shape != Out.shape:
        raise ShapeError(
            f"Indices must have shape [N, k] as Out, got {list(Indices.shape)} beside Out of shape {list(Out.shape)}"
        )
    if Label.dim() != 2 or Label.shape[1] != 1 or Label.shape[0] != Indices.shape[0]:
        raise ShapeError(f"Label must have shape [{Indices.shape[0]}, 1] to match Indices, got {list(Label.shape)}")
    hits = Indices == Label
    if Indices.shape[1] > 1:
        hits = hits.any(1, keepdim=True)
    correct = hits.sum(0, dtype=torch.int32)
    total = torch.full_like(correct, Indices.shape[0])
    return torch.true_divide(correct, total), correct, total


@accuracy.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec] | None:
    out, indices, label = inputs
    if len(indices.shape) != 2 or indices.shape != out.shape or label.shape != (indices.shape[0], 1):
        return None
    count = Spec((1,), torch.int32)
    return [Spec((1,), torch.float32), count, count]
