"""prior_box: the boxes that a single-shot detector starts from, at every cell of a feature map."""

from __future__ import annotations

import math

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import Shape, Tensor, op

_SAME = 1e-6  # Fluid: ratios that differ by less are equal


@op("Boxes Variances", nograd="*", lod=None)
def prior_box(
    Input: Tensor,
    Image: Tensor,
    *,
    min_sizes: list[float],
    max_sizes: list[float] = [],
    aspect_ratios: list[float] = [1.0],
    variances: list[float] = [0.1, 0.1, 0.2, 0.2],
    flip: bool = True,
    clip: bool = True,
    step_w: float = 0.0,
    step_h: float = 0.0,
    offset: float = 0.5,
    min_max_aspect_ratios_order: bool = False,
) -> tuple[Tensor, Tensor]:
    """Boxes [H, W, priors, 4] are (left, top, right, bottom) as fractions of Image (Liu et al., 2016).

    Every cell of Input [N, C, H, W] has a box of each aspect ratio for each of min_sizes, and a square one between a
    min_size and its max_size. Variances has the shape of Boxes and repeats `variances`.
    """
    _check(Input.shape, Image.shape, min_sizes, max_sizes, variances)
    rows, columns = Input.shape[2:]
    height, width = Image.shape[2:]
    if step_w == 0 or step_h == 0:
        step_w, step_h = width / columns, height / rows
    sizes = _sizes(min_sizes, max_sizes, expanded(aspect_ratios, flip), min_max_aspect_ratios_order)
    half = torch.tensor(sizes, dtype=Input.dtype, device=Input.device) / 2
    x = (torch.arange(columns, dtype=Input.dtype, device=Input.device) + offset) * step_w
    y = (torch.arange(rows, dtype=Input.dtype, device=Input.device) + offset) * step_h
    center = torch.stack(torch.meshgrid(x, y, indexing="xy"), 2).unsqueeze(2)  # [rows, columns, 1, 2]
    whole = half.new_tensor([width, height])
    boxes = torch.cat([(center - half) / whole, (center + half) / whole], 3)
    if clip:
        boxes = boxes.clamp(0, 1)
    return boxes, half.new_tensor(variances).expand(boxes.shape)


def expanded(aspect_ratios: list[float], flip: bool) -> list[float]:
    """The ratios, each once and 1 before them, with their reciprocals if `flip`."""
    found = [1.0]
    for ratio in aspect_ratios:
        if all(abs(ratio - other) >= _SAME for other in found):
            found += [ratio, 1 / ratio] if flip else [ratio]
    return found


def _sizes(
    small: list[float], large: list[float], ratios: list[float], squares_first: bool
) -> list[tuple[float, float]]:
    """(width, height) of every box at a cell, in Fluid's order."""
    sizes = []
    for i, size in enumerate(small):
        shapes = [(size * root, size / root) for root in map(_root, ratios)]
        between = [(math.sqrt(size * large[i]),) * 2] if large else []
        sizes += [shapes[0], *between, *shapes[1:]] if squares_first else [*shapes, *between]
    return sizes


def _root(ratio: float) -> float:
    return math.sqrt(ratio) if ratio >= 0 else math.nan


def _check(feature: Shape, image: Shape, small: list[float], large: list[float], variances: list[float]) -> None:
    if len(feature) != 4 or len(image) != 4:
        raise ShapeError(f"Input and Image must be [N, C, H, W], got shapes {list(feature)} and {list(image)}")
    if not small or min(small) <= 0:
        raise ArgumentError(f"min_sizes must be positive numbers, got {list(small)}")
    if large and (len(large) != len(small) or any(b <= a for a, b in zip(small, large))):
        raise ArgumentError(f"max_sizes must be one above each of min_sizes, got {list(small)} and {list(large)}")
    if len(variances) != 4 or min(variances) <= 0:
        raise ArgumentError(f"variances must be 4 positive numbers, got {list(variances)}")
