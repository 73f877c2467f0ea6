"""precision_recall: precision, recall and F1 of a classifier, per batch and accumulated."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.loss.labels import class_index
from refluid.ops.registry import INDICES, Tensor, op


@op(
    "BatchMetrics AccumMetrics AccumStatesInfo",
    lod=None,
    dtypes={"Indices": INDICES, "Labels": INDICES},
    nograd="*",
)
def precision_recall(
    MaxProbs: Tensor,
    Indices: Tensor,
    Labels: Tensor,
    Weights: Tensor | None = None,
    StatesInfo: Tensor | None = None,
    *,
    class_number: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """Macro then micro averages of precision, recall and F1, float64 [6], of the batch and with StatesInfo added.

    Indices and Labels are [N, 1]. A row of the states is a class's true positives, false positives, true negatives
    and false negatives.
    """
    if Indices.numel() != Labels.numel():
        raise ShapeError(f"Indices has shape {list(Indices.shape)}, but Labels has {list(Labels.shape)}")
    predicted, _ = class_index(Indices.reshape(-1), class_number, of="the metric", name="Indices")
    label, _ = class_index(Labels.reshape(-1), class_number, of="the metric", name="Labels")
    weight = torch.ones_like(label, dtype=MaxProbs.dtype) if Weights is None else Weights.reshape(-1)
    if weight.numel() != label.numel():
        raise ShapeError(f"Labels has shape {list(Labels.shape)}, but Weights has {list(Weights.shape)}")  # type: ignore[union-attr]
    zeros = weight.new_zeros(class_number)
    true_positive = zeros.index_add(0, label, weight.masked_fill(predicted != label, 0))
    false_positive = zeros.index_add(0, predicted, weight) - true_positive
    false_negative = zeros.index_add(0, label, weight) - true_positive
    true_negative = weight.sum() - true_positive - false_positive - false_negative
    states = torch.stack([true_positive, false_positive, true_negative, false_negative], 1)
    accumulated = states if StatesInfo is None else states + StatesInfo
    return _metrics(states), _metrics(accumulated), accumulated


def _metrics(states: Tensor) -> Tensor:
    tp, fp, _, fn = states.double().unbind(1)
    macro = (_ratio(tp, fp).mean(), _ratio(tp, fn).mean())
    micro = (_ratio(tp.sum(), fp.sum()), _ratio(tp.sum(), fn.sum()))
    return torch.stack([*macro, _f1(*macro), *micro, _f1(*micro)])


def _ratio(true: Tensor, false: Tensor) -> Tensor:
    """true / (true + false); 1 for a class that never occurs."""
    return torch.where(true + false > 0, true / (true + false), 1)


def _f1(precision: Tensor, recall: Tensor) -> Tensor:
    return torch.nan_to_num(2 * precision * recall / (precision + recall))
