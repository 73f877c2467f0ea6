"""anchor_generator: the boxes that a region proposal network starts from."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.warn import warn_once
from refluid.ops.detection.regions import rounded
from refluid.ops.registry import FLOATS, Tensor, op


@op("Anchors Variances", nograd="*", lod=None, dtypes={"Input": FLOATS}, late="Input")
def anchor_generator(
    Input: Tensor,
    *,
    anchor_sizes: list[float] = [],
    aspect_ratios: list[float] = [],
    variances: list[float] = [0.1, 0.1, 0.2, 0.2],
    stride: list[float] = [],
    offset: float = 0.5,
) -> tuple[Tensor, Tensor]:
    """Anchors [H, W, ratios * sizes, 4] in pixels around every cell of Input [N, C, H, W] (Ren et al., 2015).

    A cell is stride [width, height] pixels large. Variances has the shape of Anchors and repeats `variances`.
    """
    if Input.dim() != 4:
        raise ShapeError(f"Input must be [N, C, H, W], got shape {list(Input.shape)}")
    if not anchor_sizes or min(anchor_sizes) <= 0:
        raise ArgumentError(f"anchor_sizes must be positive numbers, got {list(anchor_sizes)}")
    if not aspect_ratios or min(aspect_ratios) <= 0:
        warn_once(f"anchor_generator: aspect_ratios are positive, got {list(aspect_ratios)}")
    for what, numbers, count in (("stride", stride, 2), ("variances", variances, 4)):
        if len(numbers) != count or min(numbers) <= 0:
            raise ArgumentError(f"{what} must be {count} positive numbers, got {list(numbers)}")
    rows, columns = Input.shape[2:]
    wide, high = stride
    ratio = Input.new_tensor(aspect_ratios)
    base = rounded(
        (wide * high / ratio).sqrt()
    )  # Fluid: the sizes at one cell are rounded to whole pixels, then scaled
    place = torch.stack([base / wide, rounded(base * ratio) / high], 1)
    half = (place[:, None] * Input.new_tensor(anchor_sizes)[:, None] - 1).reshape(-1, 2) / 2
    x, y = (
        torch.arange(n, dtype=Input.dtype, device=Input.device) * step + offset * (step - 1)
        for n, step in ((columns, wide), (rows, high))
    )
    center = torch.stack(torch.meshgrid(x, y, indexing="xy"), 2).unsqueeze(2)
    anchors = torch.cat([center - half, center + half], 3)
    return anchors, Input.new_tensor(variances).expand(anchors.shape)
