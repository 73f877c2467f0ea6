"""yolo_box: the boxes and scores that a YOLO head predicts."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import FLOATS, INDICES, Tensor, op


@op("Boxes Scores", nograd="*", lod=None, dtypes={"X": FLOATS, "ImgSize": INDICES}, late="ImgSize X")
def yolo_box(
    X: Tensor,
    ImgSize: Tensor,
    *,
    class_num: int,
    anchors: list[int] = [],
    downsample_ratio: int = 32,
    conf_thresh: float = 0.01,
    clip_bbox: bool = True,
    scale_x_y: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """Boxes [N, anchors * H * W, 4] in pixels of images of ImgSize [N, 2] (height, width), Scores [N, .., class_num].

    X [N, anchors * (5 + class_num), H, W] holds per anchor (x, y, w, h, objectness, classes) before their sigmoids.
    Predictions with a confidence below `conf_thresh` are zero.
    """
    check_head(X.shape, anchors, class_num)
    if ImgSize.dim() != 2 or ImgSize.shape[1] != 2 or ImgSize.shape[0] != X.shape[0]:
        raise ShapeError(f"ImgSize must be [{X.shape[0]}, 2] (height, width), got shape {list(ImgSize.shape)}")
    count, _, rows, columns = X.shape
    n = len(anchors) // 2
    x = X.reshape(count, n, 5 + class_num, rows, columns)
    size = ImgSize.to(X.dtype).flip(1).reshape(count, 1, 2, 1, 1)  # width, height
    place = grid(rows, columns, X)
    # Fluid: both directions are divided by the number of rows, also on a map that is not square.
    center = (place + x[:, :, :2].sigmoid() * scale_x_y - 0.5 * (scale_x_y - 1)) * size / rows
    wide = X.new_tensor(anchors).reshape(1, n, 2, 1, 1)
    half = x[:, :, 2:4].exp() * wide * size / (downsample_ratio * rows) / 2
    low, high = center - half, center + half
    if clip_bbox:
        low, high = low.clamp_min(0), torch.minimum(high, size - 1)
    sure = x[:, :, 4:5].sigmoid()
    kept = sure >= conf_thresh
    boxes = torch.where(kept, torch.cat([low, high], 2), 0)
    scores = torch.where(kept, sure * x[:, :, 5:].sigmoid(), 0)
    return _by_box(boxes), _by_box(scores)


def check_head(shape: torch.Size, anchors: list[int], classes: int, used: int | None = None) -> None:
    """`used` is how many of the anchors the map has; all if not given."""
    if not anchors or len(anchors) % 2:
        raise ArgumentError(f"anchors must be pairs of width and height, got {list(anchors)}")
    if classes <= 0:
        raise ArgumentError(f"class_num must be positive, got {classes}")
    wanted = (len(anchors) // 2 if used is None else used) * (5 + classes)
    if len(shape) != 4 or shape[1] != wanted:
        raise ShapeError(f"X must be [N, anchors * (5 + class_num) = {wanted}, H, W], got shape {list(shape)}")


def grid(rows: int, columns: int, like: Tensor) -> Tensor:
    """(column, row) of every cell: [2, rows, columns]."""
    y, x = (torch.arange(n, dtype=like.dtype, device=like.device) for n in (rows, columns))
    return torch.stack([x.expand(rows, columns), y[:, None].expand(rows, columns)])


def _by_box(found: Tensor) -> Tensor:
    return found.permute(0, 1, 3, 4, 2).reshape(found.shape[0], -1, found.shape[2])
