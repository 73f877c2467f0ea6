"""Greedy non-maximum suppression of boxes or polygons."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from refluid.native import call as native
from refluid.ops.detection.boxes import best
from refluid.ops.detection.polygons import polygon_overlaps
from refluid.ops.registry import Tensor

Measure = Callable[[np.ndarray, np.ndarray], np.ndarray]  # overlaps [n] of a box [numbers] with others [numbers, n]


def overlaps_with(box: np.ndarray, others: np.ndarray, normalized: bool = True) -> np.ndarray:
    """`overlaps` of one box [4] with others [4, n]: suppression asks so often that the cost of a call counts."""
    more = box.dtype.type(0 if normalized else 1)
    left, top, right, bottom = others
    wide = np.minimum(right, box[2]) - np.maximum(left, box[0])
    high = np.minimum(bottom, box[3]) - np.maximum(top, box[1])
    shared = (wide + more) * (high + more) * ((wide >= 0) & (high >= 0))
    sizes = (right - left + more) * (bottom - top + more) * ((right >= left) & (bottom >= top))
    own = (box[2] - box[0] + more) * (box[3] - box[1] + more) * (box[2] >= box[0] and box[3] >= box[1])
    return np.divide(shared, own + sizes - shared, out=np.zeros_like(sizes), where=shared > 0)


def overlap_of(numbers: int, normalized: bool) -> Measure:
    """How boxes of 4 numbers, or polygons of more, are compared."""
    return partial(overlaps_with, normalized=normalized) if numbers == 4 else polygon_overlaps


def suppress(boxes: Tensor, normalized: bool, threshold: float, eta: float = 1.0, most: int = -1) -> Tensor:
    """The indices of the candidates to keep: those that overlap no kept one before them by more than the threshold.

    Args:
        boxes: candidates [n, numbers of a box], the best first.
        eta: below 1, a threshold above 0.5 shrinks by it with every candidate kept.
        most: how many are kept at most; -1: any number.
    """
    if native.takes(boxes):
        boxes = boxes.contiguous()
        kept = torch.empty(len(boxes), dtype=torch.int64)
        numbers = (boxes.shape[1], len(boxes), normalized, float(threshold), float(eta), most)
        return kept[: native.call("suppress_", boxes, *numbers, kept)]
    return torch.tensor(
        _suppress(boxes, overlap_of(boxes.shape[1], normalized), threshold, eta, most),
        dtype=torch.int64,
        device=boxes.device,
    )


def choose(
    boxes: Tensor,
    scores: Tensor,
    score_threshold: float,
    top_k: int,
    normalized: bool,
    threshold: float,
    eta: float,
) -> Tensor:
    """Of one class: indices of boxes [n, numbers] with scores [n] above a threshold, the best `top_k`, suppressed."""
    if native.takes(boxes, scores) and boxes.stride(1) == 1 and boxes.dtype == scores.dtype:
        kept = torch.empty(len(boxes), dtype=torch.int64)
        count = native.call(
            "choose_", boxes, boxes.stride(0), boxes.shape[1], scores, scores.stride(0), len(boxes),
            float(score_threshold), top_k, normalized, float(threshold), float(eta), kept,
        )  # fmt: skip
        return kept[:count]
    candidates = torch.nonzero(scores > score_threshold).squeeze(1)
    candidates = candidates[best(scores[candidates], top_k)]
    return candidates[suppress(boxes[candidates], normalized, threshold, eta)]


def merge_neighbours(boxes: Tensor, scores: Tensor, threshold: float, normalized: bool) -> tuple[Tensor, Tensor]:
    """A box [numbers] that overlaps the one before it by more than the threshold is merged into it, by scores [n]."""
    if native.takes(boxes, scores) and boxes.dtype == scores.dtype:
        boxes, scores = boxes.clone(memory_format=torch.contiguous_format), scores.clone()
        left = native.call("merge_neighbours_", boxes, boxes.shape[1], scores, len(boxes), normalized, float(threshold))
        return boxes[:left], scores[:left]
    measure = overlap_of(boxes.shape[1], normalized)
    merged: list[np.ndarray] = []
    weights: list[np.ndarray] = []
    for box, score in zip(boxes.cpu().numpy(), scores.cpu().numpy()):
        if merged and measure(box, merged[-1][:, None])[0] > threshold:
            total = score + weights[-1]
            merged[-1] = (box * score + merged[-1] * weights[-1]) / total
            weights[-1] = total
        else:
            merged.append(box)
            weights.append(score)
    if not merged:
        return boxes, scores
    return torch.from_numpy(np.stack(merged)).to(boxes), torch.from_numpy(np.stack(weights)).to(scores)


def _suppress(boxes: Tensor, measure: Measure, threshold: float, eta: float, most: int) -> list[int]:
    kept: list[int] = []
    columns = np.ascontiguousarray(boxes.detach().cpu().numpy().T)
    highest = np.zeros(len(boxes), columns.dtype)  # the greatest overlap of every candidate with any kept
    for i in range(len(boxes)):
        if (highest[i] <= threshold or not kept) and len(kept) != most:
            kept.append(i)
            row = measure(columns[:, i], columns[:, i + 1 :])
            np.maximum(highest[i + 1 :], row, out=highest[i + 1 :])
            if eta < 1 and threshold > 0.5:
                threshold *= eta
    return kept
