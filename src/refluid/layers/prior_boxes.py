"""Prior boxes of single-shot detectors, and their head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import as_list, pair
from refluid.layers.conv import conv2d
from refluid.layers.mixed import stopped
from refluid.layers.shape import concat, flatten, reshape, transpose
from refluid.ops.detection.prior_box import prior_box as prior_box_op


def prior_box(
    input: BaseVariable,
    image: BaseVariable,
    min_sizes: float | Sequence[float],
    max_sizes: float | Sequence[float] | None = None,
    aspect_ratios: float | Sequence[float] = [1.0],
    variance: Sequence[float] = [0.1, 0.1, 0.2, 0.2],
    flip: bool = False,
    clip: bool = False,
    steps: Sequence[float] = [0.0, 0.0],
    offset: float = 0.5,
    name: str | None = None,
    min_max_aspect_ratios_order: bool = False,
) -> tuple[BaseVariable, BaseVariable]:
    """Prior boxes of several sizes and aspect ratios at every cell of a feature map (Liu et al., 2016).

    Args:
        input: the feature map, float [N, C, H, W].
        image: the images, float [N, C, H, W].
        min_sizes: the sizes of the boxes in pixels, a number or a list.
        max_sizes: for every one of them a larger size; a square box of the geometric mean of both is added. None for
            none.
        aspect_ratios: width / height, a number or a list.
        variance: the four variances, repeated for every box.
        flip: also the reciprocals of the ratios.
        clip: clip the boxes to the image.
        steps: [width, height] of a cell in pixels; 0 for image / feature map.
        offset: the center of the boxes within a cell, as a fraction.
        min_max_aspect_ratios_order: both square boxes come before those of other ratios.

    Returns:
        (boxes, variances), each [H, W, boxes per cell, 4]; no gradient flows through them.

    Example:
        >>> feature, image = fluid.data("feature", [None, 8, 4, 4]), fluid.data("image", [None, 3, 32, 32])
        >>> boxes, variances = fluid.layers.prior_box(feature, image, min_sizes=[8.0], aspect_ratios=[1.0, 2.0])
        >>> boxes.shape
        (4, 4, 2, 4)
    """
    step_w, step_h = pair(steps)
    attrs: dict[str, Any] = {} if max_sizes is None else {"max_sizes": _floats(max_sizes)}
    boxes, variances = prior_box_op(
        input, image, name=LayerName("prior_box", name), min_sizes=_floats(min_sizes),
        aspect_ratios=_floats(aspect_ratios), variances=_floats(variance), flip=flip, clip=clip, step_w=float(step_w),
        step_h=float(step_h), offset=float(offset), min_max_aspect_ratios_order=min_max_aspect_ratios_order, **attrs,
    )  # fmt: skip
    return stopped(boxes), stopped(variances)


def multi_box_head(
    inputs: Sequence[BaseVariable],
    image: BaseVariable,
    base_size: float,
    num_classes: int,
    aspect_ratios: Sequence[float | Sequence[float]],
    min_ratio: int | None = None,
    max_ratio: int | None = None,
    min_sizes: Sequence[float | Sequence[float]] | None = None,
    max_sizes: Sequence[float | Sequence[float]] | None = None,
    steps: Sequence[float] | None = None,
    step_w: Sequence[float] | None = None,
    step_h: Sequence[float] | None = None,
    offset: float = 0.5,
    variance: Sequence[float] = [0.1, 0.1, 0.2, 0.2],
    flip: bool = True,
    clip: bool = False,
    kernel_size: int = 1,
    pad: int = 0,
    stride: int = 1,
    name: str | None = None,
    min_max_aspect_ratios_order: bool = False,
) -> tuple[BaseVariable, BaseVariable, BaseVariable, BaseVariable]:
    """The head of a single-shot detector (Liu et al., 2016): offsets and scores of prior boxes of several feature maps.

    Args:
        inputs: float feature maps [N, C, H, W], the largest first.
        image: the images, float [N, C, H, W].
        base_size: the size of an image in pixels; with min_ratio and max_ratio it determines the sizes of the boxes.
        num_classes: the number of classes.
        aspect_ratios: for every map a ratio or a list of them.
        min_ratio: the smallest size of a box, in percent of base_size.
        max_ratio: the largest size, likewise.
        min_sizes: for every map, instead of the ratios; needed for fewer than three maps.
        max_sizes: likewise.
        steps: for every map the size of a cell in pixels; None for image / feature map.
        step_w: its width; None for steps.
        step_h: its height; None for steps.
        offset: the center of the boxes within a cell, as a fraction.
        variance: the four variances, repeated for every box.
        flip: also the reciprocals of the ratios.
        clip: clip the boxes to the image.
        kernel_size: the size of the filter windows of the convolutions.
        pad: their padding.
        stride: their stride.
        min_max_aspect_ratios_order: both square boxes come before those of other ratios.

    Returns:
        (offsets [N, P, 4], scores [N, P, num_classes], prior boxes [P, 4], variances [P, 4]); of a single map,
        unjoined: [N, P * 4], [N, P * num_classes], [H, W, boxes per cell, 4] twice.
    """
    maps = as_list(inputs)
    smallest, largest = _sizes(len(maps), base_size, min_ratio, max_ratio, min_sizes, max_sizes)
    if len(as_list(aspect_ratios)) != len(maps):
        raise ArgumentError(f"multi_box_head: {len(maps)} inputs, but {len(as_list(aspect_ratios))} aspect_ratios")
    widths, heights = _steps(len(maps), steps if step_w is None else step_w, steps if step_h is None else step_h)
    boxes: list[BaseVariable] = []
    variances: list[BaseVariable] = []
    locations: list[BaseVariable] = []
    scores: list[BaseVariable] = []
    for i, feature in enumerate(maps):
        box, var = prior_box(
            feature, image, smallest[i], largest[i], aspect_ratios[i], variance, flip, clip, [widths[i], heights[i]],
            offset, min_max_aspect_ratios_order=min_max_aspect_ratios_order,
        )  # fmt: skip
        boxes.append(box)
        variances.append(var)
        for width, predictions in ((4, locations), (num_classes, scores)):
            predicted = conv2d(feature, box.shape[2] * width, kernel_size, stride=stride, padding=pad)
            predictions.append(flatten(transpose(predicted, [0, 2, 3, 1]), axis=1))
    if len(maps) == 1:
        return locations[0], scores[0], boxes[0], variances[0]
    flat = [(flatten(box, axis=3), flatten(var, axis=3)) for box, var in zip(boxes, variances)]
    all_boxes, all_variances = concat([box for box, _ in flat]), concat([var for _, var in flat])
    offsets = reshape(concat(locations, axis=1), [0, -1, 4])
    all_scores = reshape(concat(scores, axis=1), [0, -1, num_classes])
    return offsets, all_scores, stopped(all_boxes), stopped(all_variances)


def _sizes(
    count: int, base: float, low: int | None, high: int | None, small: Any, large: Any
) -> tuple[list[Any], list[Any]]:
    """min_sizes and max_sizes of every map: those given, or spread evenly from `low` to `high` percent of the base."""
    if small is not None or large is not None or count <= 2:
        for what, sizes in (("min_sizes", small), ("max_sizes", large)):
            if sizes is None or len(sizes) != count:
                raise ArgumentError(
                    f"multi_box_head: {what} must have one entry for each of {count} inputs, got {sizes!r}"
                )
        return list(small), list(large)
    if not isinstance(low, int) or not isinstance(high, int) or high - low < count - 2:
        raise ArgumentError(
            f"multi_box_head: min_ratio and max_ratio must be ints at least {count - 2} apart, got {low!r} and {high!r}"
        )
    step = (high - low) // (count - 2)
    ratios = range(low, high + 1, step)
    # Fluid: the first map has boxes of 10 to 20 percent whatever the ratios say.
    return (
        [base * 0.10, *(base * ratio / 100.0 for ratio in ratios)],
        [base * 0.20, *(base * (ratio + step) / 100.0 for ratio in ratios)],
    )


def _steps(count: int, wide: Sequence[float] | None, high: Sequence[float] | None) -> tuple[list[float], list[float]]:
    sizes = []
    for what, steps in (("step_w", wide), ("step_h", high)):
        if steps is not None and len(steps) != count:
            raise ArgumentError(f"multi_box_head: {count} inputs, but {len(steps)} of steps or {what}")
        sizes.append([0.0] * count if steps is None else list(steps))
    return sizes[0], sizes[1]


def _floats(values: object) -> list[float]:
    return [float(value) for value in as_list(values)]
