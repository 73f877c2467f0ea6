"""density_prior_box: prior boxes in several sizes, the small ones denser."""

from __future__ import annotations

import math

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import Tensor, op


@op("Boxes Variances", nograd="*", lod=None)
def density_prior_box(
    Input: Tensor,
    Image: Tensor,
    *,
    variances: list[float] = [0.1, 0.1, 0.2, 0.2],
    clip: bool = True,
    flatten_to_2d: bool = False,
    step_w: float = 0.0,
    step_h: float = 0.0,
    offset: float = 0.5,
    fixed_sizes: list[float] = [],
    fixed_ratios: list[float] = [],
    densities: list[int] = [],
) -> tuple[Tensor, Tensor]:
    """Boxes [H, W, priors, 4] (or [H * W * priors, 4]) as fractions of Image (Zhang et al., 2017).

    Every cell of Input [N, C, H, W] has for each of fixed_sizes and fixed_ratios density**2 boxes, spread evenly.
    """
    if Input.dim() != 4 or Image.dim() != 4:
        raise ShapeError(
            f"Input and Image must be [N, C, H, W], got shapes {list(Input.shape)} and {list(Image.shape)}"
        )
    if len(fixed_sizes) != len(densities) or not densities or not fixed_ratios:
        raise ArgumentError(
            "there must be a density for each of fixed_sizes, and fixed_ratios, "
            f"got {list(densities)}, {list(fixed_sizes)} and {list(fixed_ratios)}"
        )
    if min(densities) < 1:
        raise ArgumentError(f"densities must be positive, got {list(densities)}")
    rows, columns = Input.shape[2:]
    height, width = Image.shape[2:]
    if step_w == 0 or step_h == 0:
        step_w, step_h = width / columns, height / rows
    mean = int((step_w + step_h) * 0.5)
    parts = [
        part
        for size, density in zip(fixed_sizes, densities)
        for ratio in fixed_ratios
        for part in _parts(size, ratio, density, mean)
    ]
    shift, half = (torch.tensor(numbers, dtype=Input.dtype, device=Input.device) for numbers in zip(*parts))
    x = (torch.arange(columns, dtype=Input.dtype, device=Input.device) + offset) * step_w
    y = (torch.arange(rows, dtype=Input.dtype, device=Input.device) + offset) * step_h
    center = torch.stack(torch.meshgrid(x, y, indexing="xy"), 2).unsqueeze(2) + shift
    whole = half.new_tensor([width, height])
    # Fluid: these boxes end at the borders of the image, whether or not `clip` says so.
    boxes = torch.cat([((center - half) / whole).clamp_min(0), ((center + half) / whole).clamp_max(1)], 3)
    if clip:
        boxes = boxes.clamp(0, 1)
    spread = half.new_tensor(variances).expand(boxes.shape)
    return (boxes.reshape(-1, 4), spread.reshape(-1, 4)) if flatten_to_2d else (boxes, spread)


def _parts(size: float, ratio: float, density: int, mean: int) -> list[tuple[list[float], list[float]]]:
    """(offset from the center of the cell, half the size) of the boxes of one size and ratio."""
    half = [size * math.sqrt(ratio) / 2, size / math.sqrt(ratio) / 2]
    step = mean // density
    first = -mean / 2 + step / 2
    return [([first + j * step, first + i * step], half) for i in range(density) for j in range(density)]
