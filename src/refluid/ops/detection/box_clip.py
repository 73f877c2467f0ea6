"""box_clip: clips boxes to their images."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.detection.boxes import images
from refluid.ops.registry import LoD, Tensor, op


@op("Output", nograd="*", lod="Input")
def box_clip(Input: Tensor, Input_lod: LoD | None, ImInfo: Tensor) -> Tensor:
    """Boxes [N, 4] or [N, classes, 4] within images of ImInfo [images, 3] (height, width, scale) before scaling."""
    if Input.dim() < 2 or Input.shape[-1] != 4:
        raise ShapeError(f"Input must be boxes [N, 4] or [N, classes, 4], got shape {list(Input.shape)}")
    if ImInfo.dim() != 2 or ImInfo.shape[1] != 3:
        raise ShapeError(f"ImInfo must be [images, 3] (height, width, scale), got shape {list(ImInfo.shape)}")
    if Input.is_meta:
        return torch.empty_like(Input)
    spans = images(Input_lod, len(Input), "Input")
    if len(spans) > len(ImInfo):
        raise ShapeError(f"Input has boxes of {len(spans)} images, but ImInfo has {len(ImInfo)}")
    size = (ImInfo[:, :2] / ImInfo[:, 2:]).round().to(Input.dtype)  # height, width
    assert Input_lod is not None
    last = size.flip(1)[Input_lod.segment_ids(device=Input.device)] - 1  # of every box: the last column, the last row
    boxes = Input.reshape(len(Input), -1, 2)
    return torch.minimum(boxes, last[:, None]).clamp_min(0).reshape(Input.shape)
