"""Overlaps of polygons, which need not be convex."""

from __future__ import annotations

import numpy as np


def polygon_overlaps(polygon: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Intersection over union of a polygon [2 * corners] (x, y, x, y, ...) with others [2 * corners, n]: [n]."""
    corners = polygon.astype(np.float64).reshape(-1, 2)
    own = shared_area(corners, corners)
    overlaps = np.zeros(others.shape[1], polygon.dtype)
    for i, row in enumerate(others.T.astype(np.float64)):
        other = row.reshape(-1, 2)
        if (corners.min(0) < other.max(0)).all() and (other.min(0) < corners.max(0)).all():
            shared = shared_area(corners, other)
            overlaps[i] = shared / (own + shared_area(other, other) - shared) if shared else 0.0
    return overlaps


def shared_area(first: np.ndarray, second: np.ndarray) -> float:
    """The area inside both polygons (by the even-odd rule).

    Horizontal cuts through all corners and crossings leave strips in which the sides of both do not cross: there the
    shared width changes evenly, and its value at half the height is its mean.
    """
    edges = [np.stack([one, np.roll(one, -1, 0)], 1) for one in (first, second)]
    all_edges = np.concatenate(edges)
    cuts = np.unique(np.concatenate([first[:, 1], second[:, 1], _crossings(all_edges)]))
    middles, heights = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts)
    return float(sum(h * _shared_width(edges[0], edges[1], y) for y, h in zip(middles, heights)))


def _crossings(edges: np.ndarray) -> np.ndarray:
    """The y of every crossing of two edges."""
    start, way = edges[:, 0], edges[:, 1] - edges[:, 0]
    across = way[:, None, 0] * way[:, 1] - way[:, None, 1] * way[:, 0]
    apart = start[None] - start[:, None]
    i, j = np.nonzero(np.triu(across))
    t = (apart[i, j, 0] * way[j, 1] - apart[i, j, 1] * way[j, 0]) / across[i, j]
    s = (apart[i, j, 0] * way[i, 1] - apart[i, j, 1] * way[i, 0]) / across[i, j]
    met = (t >= 0) & (t <= 1) & (s >= 0) & (s <= 1)
    return (start[i, 1] + t * way[i, 1])[met]


def _shared_width(first: np.ndarray, second: np.ndarray, y: float) -> float:
    """How much of the horizontal line at y is inside both."""
    sides = []
    for edges in (first, second):
        (x0, y0), (x1, y1) = edges[:, 0].T, edges[:, 1].T
        cut = (y0 <= y) != (y1 <= y)
        sides.append(np.sort((x0 + (y - y0) / np.where(cut, y1 - y0, 1) * (x1 - x0))[cut]).reshape(-1, 2))
    return sum(max(0.0, min(b, d) - max(a, c)) for a, b in sides[0] for c, d in sides[1])
