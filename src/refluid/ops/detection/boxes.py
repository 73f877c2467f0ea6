"""Boxes (left, top, right, bottom): areas, intersection over union, top scores."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.native import call as native
from refluid.ops.registry import LoD, Tensor


def area(boxes: Tensor, normalized: bool = True) -> Tensor:
    """The areas of boxes [..., 4]; 0 for those with right < left or bottom < top.

    Normalized boxes are fractions of an image; others are in pixels, with the right and bottom pixels inside.
    """
    left, top, right, bottom = boxes.unbind(-1)
    extra = 0 if normalized else 1
    return torch.where((right < left) | (bottom < top), 0, (right - left + extra) * (bottom - top + extra))


def overlaps(first: Tensor, second: Tensor, normalized: bool = True) -> Tensor:
    """Intersection over union of every box [N, 4] with every box [M, 4]: [N, M]."""
    if native.takes(first, second) and first.dtype == second.dtype:
        out = first.new_empty(len(first), len(second))
        native.call("overlaps_", first.contiguous(), len(first), second.contiguous(), len(second), normalized, out)
        return out
    extra = 0 if normalized else 1
    left, top, right, bottom = first[:, :, None].unbind(1)
    x1, y1, x2, y2 = second.unbind(1)
    width = torch.minimum(right, x2) - torch.maximum(left, x1)
    height = torch.minimum(bottom, y2) - torch.maximum(top, y1)
    shared = torch.where((width < 0) | (height < 0), 0, (width + extra) * (height + extra))
    union = area(first, normalized)[:, None] + area(second, normalized) - shared
    return torch.where(shared > 0, shared / union, 0)


def best(scores: Tensor, count: int) -> Tensor:
    """The indices of the highest scores, ties in order; all if the count is negative or too large."""
    order = torch.sort(scores, descending=True, stable=True).indices
    return order[:count] if 0 <= count < len(order) else order


def centered(boxes: Tensor, normalized: bool = True) -> tuple[Tensor, Tensor]:
    """(centers, sizes) of boxes, each [..., 2]."""
    size = boxes[..., 2:] - boxes[..., :2] + (0 if normalized else 1)
    return boxes[..., :2] + size / 2, size


def with_lod(value: Tensor, lengths: list[int]) -> Tensor:
    """`value` with the LoD of these lengths as its attribute `lod`; see Note [Who owns the LoD]."""
    value.lod = LoD.from_lengths([lengths])  # type: ignore[attr-defined]
    return value


def detections_with_lod(detections: list[Tensor]) -> Tensor:
    """The detections of all images, with a LoD of one sequence per image; without any detection the shape is [0]."""
    rows = torch.cat(detections)
    return with_lod(rows if len(rows) else rows.reshape(-1), [len(image) for image in detections])


def images(lod: LoD | None, rows: int, what: str) -> list[tuple[int, int]]:
    """(start, end) of the rows of every image."""
    if lod is None:
        raise ShapeError(f"{what} must have a LoD with the rows of each image, got none for {rows} rows")
    return list(lod.spans())


def need_boxes(what: str, value: Tensor, rank: int = 2) -> None:
    if value.dim() != rank or value.shape[-1] != 4:
        letters = ", ".join("NMK"[: rank - 1])
        raise ShapeError(f"{what} must be boxes [{letters}, 4], got shape {list(value.shape)}")


def check_classes(what: str, labels: Tensor, classes: int) -> None:
    """Refuse labels outside 0 to classes - 1."""
    if len(labels) and (int(labels.min()) < 0 or int(labels.max()) >= classes):
        wrong = labels[(labels < 0) | (labels >= classes)][0]
        raise ValueRangeError(f"{what} must be from 0 to {classes - 1}, got {int(wrong)}")
