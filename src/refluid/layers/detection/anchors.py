"""Anchor boxes and dense prior boxes."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import as_list, pair
from refluid.layers.mixed import stopped
from refluid.ops.detection.anchor_generator import anchor_generator as anchor_generator_op
from refluid.ops.detection.density_prior_box import density_prior_box as density_prior_box_op


def anchor_generator(
    input: BaseVariable,
    anchor_sizes: float | Sequence[float] | None = None,
    aspect_ratios: float | Sequence[float] | None = None,
    variance: Sequence[float] = [0.1, 0.1, 0.2, 0.2],
    stride: Sequence[float] | None = None,
    offset: float = 0.5,
    name: str | None = None,
) -> tuple[BaseVariable, BaseVariable]:
    """Anchor boxes in pixels at every cell of a feature map, for a region proposal network.

    Args:
        input: the feature map, float [N, C, H, W].
        anchor_sizes: the square roots of the areas, a number or a list.
        aspect_ratios: height / width, a number or a list.
        variance: the four variances, repeated for every anchor.
        stride: [width, height] of a cell in pixels.
        offset: the center of the anchors within a cell, as a fraction.

    Returns:
        (anchors, variances), each [H, W, anchors per cell, 4]; no gradient flows through them.
    """
    if not isinstance(stride, list | tuple) or len(stride) != 2:
        raise ArgumentError(f"anchor_generator: stride must be [width, height], got {stride!r}")
    anchors, variances = anchor_generator_op(
        input, name=LayerName("anchor_generator", name), anchor_sizes=_floats(anchor_sizes),
        aspect_ratios=_floats(aspect_ratios), variances=_floats(variance), stride=_floats(stride), offset=float(offset),
    )  # fmt: skip
    return stopped(anchors), stopped(variances)


def density_prior_box(
    input: BaseVariable,
    image: BaseVariable,
    densities: Sequence[int] | None = None,
    fixed_sizes: Sequence[float] | None = None,
    fixed_ratios: Sequence[float] | None = None,
    variance: Sequence[float] = [0.1, 0.1, 0.2, 0.2],
    clip: bool = False,
    steps: Sequence[float] = [0.0, 0.0],
    offset: float = 0.5,
    flatten_to_2d: bool = False,
    name: str | None = None,
) -> tuple[BaseVariable, BaseVariable]:
    """Prior boxes of fixed sizes, several per cell and axis, for a single-shot detector.

    Args:
        input: the feature map, float [N, C, H, W].
        image: the images, float [N, C, H, W].
        densities: for each of fixed_sizes, the number of boxes along each axis of a cell.
        fixed_sizes: the sizes of the boxes in pixels.
        fixed_ratios: width / height of the boxes.
        variance: the four variances, repeated for every box.
        clip: clip the boxes to the image.
        steps: [width, height] of a cell in pixels; 0 for image / feature map.
        offset: the center of the boxes within a cell, as a fraction.
        flatten_to_2d: the results are [boxes, 4].

    Returns:
        (boxes, variances), each [H, W, boxes per cell, 4]; no gradient flows through them.
    """
    for what, values in (("densities", densities), ("fixed_sizes", fixed_sizes), ("fixed_ratios", fixed_ratios)):
        if not isinstance(values, list | tuple):
            raise ArgumentError(f"density_prior_box: {what} must be a list, got {values!r}")
    step_w, step_h = pair(steps)
    boxes, variances = density_prior_box_op(
        input, image, name=LayerName("density_prior_box", name), variances=_floats(variance), clip=clip,
        flatten_to_2d=flatten_to_2d, step_w=float(step_w), step_h=float(step_h), offset=float(offset),
        fixed_sizes=_floats(fixed_sizes), fixed_ratios=_floats(fixed_ratios), densities=[int(n) for n in
        as_list(densities)],
    )  # fmt: skip
    return stopped(boxes), stopped(variances)


def _floats(values: object) -> list[float]:
    return [] if values is None else [float(value) for value in as_list(values)]
