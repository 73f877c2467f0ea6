"""Boxes (left, top, right, bottom): areas, overlaps and the greedy choice among those that overlap."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.registry import LoD, Tensor


def area(boxes: Tensor, normalized: bool = True) -> Tensor:
    """The areas of boxes [..., 4]; 0 for those whose sides are the wrong way round.

    Normalized boxes are parts of an image; others count pixels and hold those of their right and lower sides too.
    """
    left, top, right, bottom = boxes.unbind(-1)
    more = 0 if normalized else 1
    return torch.where((right < left) | (bottom < top), 0, (right - left + more) * (bottom - top + more))


def overlaps(first: Tensor, second: Tensor, normalized: bool = True) -> Tensor:
    """Intersection over union of every box [N, 4] with every box [M, 4]: [N, M]."""
    more = 0 if normalized else 1
    left, top, right, bottom = first[:, :, None].unbind(1)
    x1, y1, x2, y2 = second.unbind(1)
    wide = torch.minimum(right, x2) - torch.maximum(left, x1)
    high = torch.minimum(bottom, y2) - torch.maximum(top, y1)
    shared = torch.where((wide < 0) | (high < 0), 0, (wide + more) * (high + more))
    union = area(first, normalized)[:, None] + area(second, normalized) - shared
    return torch.where(shared > 0, shared / union, 0)


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


def suppress(boxes: Tensor, measure: Measure, threshold: float, eta: float = 1.0, most: int = -1) -> list[int]:
    """Which candidates stay, in order: those that overlap none of the kept before them by more than the threshold.

    Args:
        boxes: candidates [n, numbers of a box], the best first.
        eta: below 1, a threshold above 0.5 shrinks by it with every candidate kept.
        most: how many are kept at most; -1: any number.
    """
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


def best(scores: Tensor, count: int) -> Tensor:
    """The indices of the highest scores, those of equal ones in order; all if the count is negative or too large."""
    order = torch.sort(scores, descending=True, stable=True).indices
    return order[:count] if 0 <= count < len(order) else order


def centered(boxes: Tensor, normalized: bool = True) -> tuple[Tensor, Tensor]:
    """(middles, sizes) of boxes, each [..., 2]."""
    size = boxes[..., 2:] - boxes[..., :2] + (0 if normalized else 1)
    return boxes[..., :2] + size / 2, size


def told(value: Tensor, lengths: list[int]) -> Tensor:
    """The value with the LoD that it came out with; see Note [Who owns the LoD]."""
    value.lod = LoD.from_lengths([lengths])  # type: ignore[attr-defined]
    return value


def told_found(value: Tensor, lengths: list[int]) -> Tensor:
    """The same for what a suppression has left: where that is nothing in any image, Fluid's shape is [0]."""
    return told(value if sum(lengths) else value.reshape(-1), lengths)


def images(lod: LoD | None, rows: int, what: str) -> list[tuple[int, int]]:
    """(start, end) of the rows of every image."""
    if lod is None:
        raise ShapeError(f"{what} must have a LoD that tells the images apart, got none for {rows} rows")
    return list(lod.spans())


def need_boxes(what: str, value: Tensor, rank: int = 2) -> None:
    if value.dim() != rank or value.shape[-1] != 4:
        letters = ", ".join("NMK"[: rank - 1])
        raise ShapeError(f"{what} must be boxes [{letters}, 4], got shape {list(value.shape)}")


def check_classes(what: str, labels: Tensor, classes: int) -> None:
    """Refuse labels that are no class."""
    if len(labels) and (int(labels.min()) < 0 or int(labels.max()) >= classes):
        wrong = labels[(labels < 0) | (labels >= classes)][0]
        raise ValueRangeError(f"{what} must be from 0 to {classes - 1}, got {int(wrong)}")
