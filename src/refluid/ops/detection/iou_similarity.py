"""iou_similarity: intersection over union of boxes."""

from __future__ import annotations

import torch

from refluid.native import call as native
from refluid.ops.detection.boxes import need_boxes
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", nograd="*", lod="X", dtypes={"X": FLOATS, "Y": FLOATS}, late="X Y")
def iou_similarity(X: Tensor, Y: Tensor, *, box_normalized: bool = True) -> Tensor:
    """Out [N, M] is intersection over union of the boxes X [N, 4] with the boxes Y [M, 4].

    Fluid adds 1e-10 to the union, so that empty boxes overlap by 0.
    """
    need_boxes("X", X)
    need_boxes("Y", Y)
    if native.takes(X, Y) and X.dtype == Y.dtype:
        out = X.new_empty(len(X), len(Y))
        native.call("similarity_", X.contiguous(), len(X), Y.contiguous(), len(Y), box_normalized, out)
        return out
    more = 0 if box_normalized else 1
    low = torch.maximum(X[:, None, :2], Y[:, :2])
    high = torch.minimum(X[:, None, 2:], Y[:, 2:])
    shared = (high - low + more).clamp_min(0).prod(-1)
    x, y = ((boxes[:, 2:] - boxes[:, :2] + more).prod(-1) for boxes in (X, Y))
    return shared / (x[:, None] + y - shared + 1e-10)
