"""polygon_box_transform: coordinates of polygon corners from their offsets."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.registry import FLOATS, Tensor, op


@op("Output", nograd="*", lod=None, dtypes={"Input": FLOATS})
def polygon_box_transform(Input: Tensor) -> Tensor:
    """Output [N, C, H, W]: four times the column (even channels) or row (odd channels) of each cell, minus Input."""
    if Input.dim() != 4 or Input.shape[1] % 2:
        raise ShapeError(f"Input must be [N, an even number of channels, H, W], got shape {list(Input.shape)}")
    rows, columns = Input.shape[2:]
    x = 4.0 * torch.arange(columns, dtype=Input.dtype, device=Input.device).expand(rows, columns)
    y = 4.0 * torch.arange(rows, dtype=Input.dtype, device=Input.device)[:, None].expand(rows, columns)
    place = torch.stack([x, y]).repeat(Input.shape[1] // 2, 1, 1)
    return place - Input
