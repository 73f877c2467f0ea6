"""mean_iou: the intersection over union of predicted and true regions, averaged over the classes."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.loss.labels import class_index
from refluid.ops.registry import INDICES, Tensor, op


@op(
    "OutMeanIou OutWrong OutCorrect",
    lod=None,
    dtypes={"Predictions": INDICES, "Labels": INDICES},
    nograd="*",
)
def mean_iou(
    Predictions: Tensor,
    Labels: Tensor,
    InWrongs: list[Tensor] | None = None,
    InCorrects: list[Tensor] | None = None,
    InMeanIou: list[Tensor] | None = None,
    *,
    num_classes: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """OutMeanIou = mean of correct / (correct + wrong) over the classes that occur, plus the InMeanIou.

    OutWrong and OutCorrect, int32 [num_classes], count elements, those given as InWrongs and InCorrects included. An
    element that is not correct is wrong for its own class and for the predicted one.
    """
    if Predictions.numel() != Labels.numel():
        raise ShapeError(f"Predictions has shape {list(Predictions.shape)}, but Labels has {list(Labels.shape)}")
    predicted, _ = class_index(Predictions, num_classes, of="the metric", name="Predictions")
    label, _ = class_index(Labels, num_classes, of="the metric", name="Labels")
    predicted, label = predicted.reshape(-1), label.reshape(-1)
    hit = (predicted == label).int()
    zeros = torch.zeros(num_classes, dtype=torch.int32, device=label.device)
    correct = zeros.index_add(0, label, hit)
    wrong = zeros.index_add(0, label, 1 - hit).index_add_(0, predicted, 1 - hit)
    for earlier in InWrongs or []:
        wrong = wrong + earlier
    for earlier in InCorrects or []:
        correct = correct + earlier
    union = wrong + correct
    mean = (correct / union.clamp(min=1)).sum() / (union > 0).sum()
    for earlier in InMeanIou or []:
        mean = mean + earlier
    return mean.reshape(1), wrong, correct


@mean_iou.infer
def _mean_iou_specs(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    counts = ((attrs["num_classes"],), torch.int32)
    return [((1,), torch.float32), counts, counts]
