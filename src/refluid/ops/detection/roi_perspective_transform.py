"""roi_perspective_transform: perspective transform of quadrangles of a map to rectangles."""

from __future__ import annotations

import torch

from refluid.ops.detection.regions import bags, check_regions, image_of_each, rounded, table_of
from refluid.ops.registry import FLOATS, LoD, Tensor, op

_EPS = 1e-4  # Fluid: numbers that differ by less are equal


@op("Out Mask TransformMatrix Out2InIdx Out2InWeights", intermediate="Out2InIdx Out2InWeights", lod="ROIs",
    nograd="ROIs Mask TransformMatrix", dtypes={"X": FLOATS, "ROIs": FLOATS},
    grad_keeps="Out2InIdx Out2InWeights")  # fmt: skip
def roi_perspective_transform(
    X: Tensor,
    ROIs: Tensor,
    ROIs_lod: LoD | None,
    *,
    spatial_scale: float = 1.0,
    transformed_height: int = 1,
    transformed_width: int = 1,
) -> tuple[Tensor, ...]:
    """Out [regions, C, height, width]: ROIs [regions, 8] (x, y of four corners) of X [N, C, H, W], as rectangles.

    Mask [regions, 1, height, width] is 1 where Out shows something of the quadrangle. TransformMatrix [regions, 9]
    takes (column, row, 1) of Out to the map. Out2InIdx and Out2InWeights [regions * height * width, 4] are the cells of
    X (numbered over all images) that each element of Out is interpolated from.
    """
    height, width = transformed_height, transformed_width
    check_regions(X, ROIs, height, width, 8)
    count, channels, rows, columns = X.shape
    total = len(ROIs) * height * width
    if X.is_meta or not total:
        return (X.new_empty(len(ROIs), channels, height, width),
                torch.empty(len(ROIs), 1, height, width, dtype=torch.int32, device=X.device),
                X.new_empty(len(ROIs), 9), torch.empty(total, 4, dtype=torch.int32, device=X.device),
                X.new_empty(total, 4))  # fmt: skip
    image = image_of_each(ROIs, ROIs_lod, count)
    corners = ROIs.to(X.dtype).reshape(-1, 4, 2) * spatial_scale
    matrix = _matrix(corners, height, width)
    x, y = _mapped(matrix, height, width)
    inside = _in_quad(x, y, corners)
    inside &= (x > -0.5) & (x < columns - 0.5) & (y > -0.5) & (y < rows - 0.5)
    places, weights = [], []
    x, y = (torch.where(inside, at, 0).clamp(0, size - 1) for at, size in ((x, columns), (y, rows)))
    left, top = x.floor(), y.floor()
    right, bottom = (left + 1).clamp_max(columns - 1), (top + 1).clamp_max(rows - 1)
    for row, column, share in (
        (top, left, (1 - (y - top)) * (1 - (x - left))),
        (top, right, (1 - (y - top)) * (x - left)),
        (bottom, right, (y - top) * (x - left)),
        (bottom, left, (y - top) * (1 - (x - left))),
    ):
        places.append(image[:, None, None] * (rows * columns) + row.long() * columns + column.long())
        weights.append(torch.where(inside, share, 0))
    place, weight = torch.stack(places, -1).reshape(total, 4), torch.stack(weights, -1).reshape(total, 4)
    out = bags(table_of(X), place[..., None], weight[..., None]).reshape(len(ROIs), height, width, channels)
    return out.permute(0, 3, 1, 2), inside[:, None].int(), matrix, place.int(), weight


@roi_perspective_transform.lods
def roi_perspective_transform_lods(ins: list, values: list, attrs: dict) -> list:
    return [ins[1], None, None, None, None]


def _matrix(corners: Tensor, height: int, width: int) -> Tensor:
    """The perspective transform from a rectangle to the quadrangle; [regions, 9]."""
    c0, c1, c2, c3 = corners.unbind(1)
    sides = [(a - b).square().sum(1).sqrt() for a, b in ((c0, c1), (c1, c2), (c2, c3), (c3, c0))]
    high, wide = (sides[1] + sides[3]) / 2, (sides[0] + sides[2]) / 2
    rows = max(2, height)
    # As wide as it is in proportion to its height, if that fits.
    columns = (rounded(wide * (rows - 1) / high) + 1).clamp_max(width).clamp_min(2)
    d1, d2, d3 = c1 - c2, c3 - c2, c0 - c1 + c2 - c3
    scale = d1[:, 0] * d2[:, 1] - d2[:, 0] * d1[:, 1] + 1e-5
    m6 = (d3[:, 0] * d2[:, 1] - d2[:, 0] * d3[:, 1]) / scale / (columns - 1)
    m7 = (d1[:, 0] * d3[:, 1] - d3[:, 0] * d1[:, 1]) / scale / (rows - 1)
    along = (c1 - c0 + (m6 * (columns - 1))[:, None] * c1) / (columns - 1)[:, None]
    down = (c3 - c0 + (m7 * (rows - 1))[:, None] * c3) / (rows - 1)
    entries = [along[:, 0], down[:, 0], c0[:, 0], along[:, 1], down[:, 1], c0[:, 1], m6, m7, torch.ones_like(m6)]
    return torch.stack(entries, 1)


def _mapped(matrix: Tensor, height: int, width: int) -> tuple[Tensor, Tensor]:
    """(x, y) on the map of every cell of the rectangles, each [regions, height, width]."""
    m = matrix[:, :, None, None].unbind(1)
    w = torch.arange(width, dtype=matrix.dtype, device=matrix.device)
    h = torch.arange(height, dtype=matrix.dtype, device=matrix.device)[:, None]
    below = m[6] * w + m[7] * h + m[8]
    return (m[0] * w + m[1] * h + m[2]) / below, (m[3] * w + m[4] * h + m[5]) / below


def _in_quad(x: Tensor, y: Tensor, corners: Tensor) -> Tensor:
    """Whether points [regions, ..] are in or on the quadrangle of their region."""
    on, crossed = torch.zeros_like(x, dtype=torch.bool), torch.zeros_like(x, dtype=torch.int64)
    for i in range(4):
        (xs, ys), (xe, ye) = (corners[:, k % 4, :, None, None].unbind(1) for k in (i, i + 1))
        level = (ys - ye).abs() < _EPS
        between_x = (x > torch.minimum(xs, xe) - _EPS) & (x < torch.maximum(xs, xe) + _EPS)
        low, high = torch.minimum(ys, ye), torch.maximum(ys, ye)
        between_y = (y > low - _EPS) & (y < high + _EPS)
        cut = (y - ys) * (xe - xs) / torch.where(level, 1, ye - ys) + xs
        on |= torch.where(level, ((y - ys).abs() < _EPS) & between_x, ((cut - x).abs() < _EPS) & between_y)
        crossed += ~level & (y > low + _EPS) & (y < high + _EPS) & (cut > x + _EPS)
    return on | (crossed % 2 == 1)
