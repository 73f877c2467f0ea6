"""The boxes that detectors with proposals, and dense single-shot ones, start from."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.common import as_list, pair
from refluid.layers.numbers import stopped
from refluid.ops.detection.anchor_generator import anchor_generator as anchor_generator_op
from refluid.ops.detection.density_prior_box import density_prior_box as density_prior_box_op


def anchor_generator(
    input: Any,
    anchor_sizes: Any = None,
    aspect_ratios: Any = None,
    variance: Any = [0.1, 0.1, 0.2, 0.2],
    stride: Any = None,
    offset: float = 0.5,
    name: str | None = None,
) -> Any:
    """Boxes in pixels around every place of a feature map, for a region proposal network.

    Args:
        input: the feature map [N, C, H, W].
        anchor_sizes: the square roots of areas, a number or a list.
        aspect_ratios: height to width, a number or a list.
        variance: repeated for every box.
        stride: [width, height] of a place in pixels.
        offset: where in its place the middle of a box is.
    Returns:
        (anchors, variances), each [H, W, boxes of a place, 4].
    """
    if not isinstance(stride, list | tuple) or len(stride) != 2:
        raise ArgumentError(f"anchor_generator: stride must be [width, height], got {stride!r}")
    anchors, variances = anchor_generator_op(
        input, name=LayerName("anchor_generator", name), anchor_sizes=_floats(anchor_sizes),
        aspect_ratios=_floats(aspect_ratios), variances=_floats(variance), stride=_floats(stride), offset=float(offset),
    )  # fmt: skip
    return stopped(anchors), stopped(variances)


def density_prior_box(
    input: Any,
    image: Any,
    densities: Any = None,
    fixed_sizes: Any = None,
    fixed_ratios: Any = None,
    variance: Any = [0.1, 0.1, 0.2, 0.2],
    clip: bool = False,
    steps: Any = [0.0, 0.0],
    offset: float = 0.5,
    flatten_to_2d: bool = False,
    name: str | None = None,
) -> Any:
    """Prior boxes of which the small ones stand closer than the places of the feature map.

    Args:
        input: the feature map [N, C, H, W].
        image: the images [N, C, H, W] that the boxes lie in.
        densities: for each of fixed_sizes how many boxes there are along each side of a place.
        fixed_sizes, fixed_ratios: of the boxes, in pixels, and width to height.
        variance: repeated for every box.
        clip: cut the boxes off at the borders of the image.
        steps: [width, height] of a place in pixels; 0: image / feature map.
        offset: where in its place the middle of a box is.
        flatten_to_2d: the results are [boxes, 4].
    Returns:
        (boxes, variances), each [H, W, boxes of a place, 4].
    """
    for what, given in (("densities", densities), ("fixed_sizes", fixed_sizes), ("fixed_ratios", fixed_ratios)):
        if not isinstance(given, list | tuple):
            raise ArgumentError(f"density_prior_box: {what} must be a list, got {given!r}")
    step_w, step_h = pair(steps)
    boxes, variances = density_prior_box_op(
        input, image, name=LayerName("density_prior_box", name), variances=_floats(variance), clip=clip,
        flatten_to_2d=flatten_to_2d, step_w=float(step_w), step_h=float(step_h), offset=float(offset),
        fixed_sizes=_floats(fixed_sizes), fixed_ratios=_floats(fixed_ratios), densities=[int(n) for n in densities],
    )  # fmt: skip
    return stopped(boxes), stopped(variances)


def _floats(values: Any) -> list[float]:
    return [] if values is None else [float(value) for value in as_list(values)]
