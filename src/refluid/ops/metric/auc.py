"""auc: the area under the curve of a binary classifier, over all batches or the last few."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.registry import FLOATS, INDICES, Tensor, op


@op(
    "AUC StatPosOut StatNegOut",
    lod=None,
    dtypes={"Predict": FLOATS, "Label": INDICES},
    inplace={"StatPosOut": "StatPos", "StatNegOut": "StatNeg"},
    nograd="*",
)
def auc(
    Predict: Tensor,
    Label: Tensor,
    StatPos: Tensor,
    StatNeg: Tensor,
    *,
    curve: str = "ROC",
    num_thresholds: int = 8191,
    slide_steps: int = 1,
) -> tuple[Tensor, Tensor, Tensor]:
    """AUC, a float64 [1], from counts of positive and negative samples by predicted probability.

    The last column of Predict is the probability. With slide_steps = 0 the counts, num_thresholds + 1 of them, grow
    over all batches. Otherwise StatPos and StatNeg hold so many counts for each of the last slide_steps batches,
    then for the sum of these batches, and at the end the number of batches seen.
    """
    if Label.numel() != Predict.shape[0]:
        raise ShapeError(f"Predict has {Predict.shape[0]} rows, but Label has {Label.numel()} elements")
    buckets = num_thresholds + 1
    size = (slide_steps + 1) * buckets + 1 if slide_steps else buckets
    probability = Predict[:, -1]
    _check_range(probability)
    bins = (probability * num_thresholds).long()
    positive = (Label.reshape(-1) != 0).long()
    for name, stat in (("StatPos", StatPos), ("StatNeg", StatNeg)):
        if stat.numel() != size:
            raise ShapeError(
                f"{name} must have {size} elements for num_thresholds={num_thresholds}, slide_steps={slide_steps}, "
                f"got {list(stat.shape)}"
            )
    positives = _count_(StatPos.view(-1), bins, positive, buckets, slide_steps)
    negatives = _count_(StatNeg.view(-1), bins, 1 - positive, buckets, slide_steps)
    return area(positives, negatives, curve), StatPos, StatNeg


@auc.infer
def infer_auc(inputs: list, attrs: dict[str, Any]) -> list:
    return [((1,), torch.float64), inputs[2], inputs[3]]


def _check_range(probability: Tensor) -> None:
    if probability.numel():
        low, high = (v.item() for v in torch.aminmax(probability))
        if not (low >= 0 and high <= 1):
            raise ValueRangeError(f"Predict must hold probabilities from 0 to 1, got {high if low >= 0 else low:g}")


def _count_(stat: Tensor, bins: Tensor, ones: Tensor, buckets: int, slide_steps: int) -> Tensor:
    """Add a batch to the counts, and return those that the area is taken from."""
    if not slide_steps:
        return stat.index_add_(0, bins, ones)
    steps, total, seen = stat[:-1].view(-1, buckets), stat[-1 - buckets : -1], stat[-1:]
    step = steps[int(seen) % slide_steps]  # the oldest batch, whose counts this one replaces
    total -= step
    step.zero_().index_add_(0, bins, ones)
    total += step
    seen += 1
    return total


def area(positive: Tensor, negative: Tensor, curve: str) -> Tensor:
    """The area under the curve by the trapezoidal rule, zero without positive or without negative samples."""
    # Lowering the threshold bucket by bucket: how many of either kind are predicted to be positive.
    hits, alarms = (torch.nn.functional.pad(c.flip(0).cumsum(0), (1, 0)).double() for c in (positive, negative))
    if curve != "PR":  # Fluid: any other name too
        return torch.nan_to_num(torch.trapezoid(hits, alarms) / (hits[-1] * alarms[-1])).reshape(1)
    precision = torch.where(hits + alarms > 0, hits / (hits + alarms), 1)
    return torch.nan_to_num(torch.trapezoid(precision, hits / hits[-1])).reshape(1)
