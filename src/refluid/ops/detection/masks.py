"""Masks of polygons, as the COCO tools draw them."""

from __future__ import annotations

import numpy as np

_FINE = 5  # borders are followed on a grid this much finer


def mask_in_box(polygons: list[np.ndarray], box: np.ndarray, size: int) -> np.ndarray:
    """Where a box shows any of the polygons (corners [n, 2]), on a grid of size * size cells: bool [size, size]."""
    extent = np.maximum(box[2:] - box[:2], 1.0)
    found = np.zeros((size, size), bool)
    for corners in polygons:
        found |= polygon_mask((corners - box[:2]) * size / extent, size, size)
    return found


def polygon_mask(corners: np.ndarray, height: int, width: int) -> np.ndarray:
    """bool [height, width]: the cells inside a polygon, from where its border crosses the columns.

    Going down the columns one after the other, every crossing takes from outside to inside or back.
    """
    points = (_FINE * np.asarray(corners, np.float64) + 0.5).astype(np.int64)
    u, v = _border(points)
    changes = np.nonzero(u[1:] != u[:-1])[0] + 1
    x = (np.minimum(u[changes], u[changes - 1]) + 0.5) / _FINE - 0.5
    y = np.ceil(np.clip((np.minimum(v[changes], v[changes - 1]) + 0.5) / _FINE - 0.5, 0, height)).astype(np.int64)
    in_column = (np.floor(x) == x) & (x >= 0) & (x <= width - 1)
    crossings = x[in_column].astype(np.int64) * height + y[in_column]
    flips = np.bincount(crossings, minlength=height * width + 1)[: height * width]
    return (np.cumsum(flips) % 2 == 1).reshape(width, height).T


def _border(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cells of the fine grid along the border, edge by edge."""
    us, vs = [], []
    for start, end in zip(points, np.roll(points, -1, 0)):
        wide, high = np.abs(end - start)
        along = 0 if wide >= high else 1  # the axis in which every step is one
        length = max(wide, high)
        low, far = (end, start) if start[along] > end[along] else (start, end)
        steps = np.arange(length + 1)
        if low is end:
            steps = steps[::-1]
        slope = (far[1 - along] - low[1 - along]) / length if length else 0.0
        other = (low[1 - along] + slope * steps + 0.5).astype(np.int64)
        us.append(steps + low[0] if along == 0 else other)
        vs.append(other if along == 0 else steps + low[1])
    return np.concatenate(us), np.concatenate(vs)
