"""The boxes that single-shot detectors start from, and what they predict of them."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.common import as_list, pair
from refluid.layers.conv import conv2d
from refluid.layers.numbers import stopped
from refluid.layers.shape import concat, flatten, reshape, transpose
from refluid.ops.detection.prior_box import prior_box as prior_box_op


def prior_box(
    input: Any,
    image: Any,
    min_sizes: Any,
    max_sizes: Any = None,
    aspect_ratios: Any = [1.0],
    variance: Any = [0.1, 0.1, 0.2, 0.2],
    flip: bool = False,
    clip: bool = False,
    steps: Any = [0.0, 0.0],
    offset: float = 0.5,
    name: str | None = None,
    min_max_aspect_ratios_order: bool = False,
) -> Any:
    """Boxes around every place of a feature map, of several sizes and aspect ratios.

    Args:
        input: the feature map [N, C, H, W].
        image: the images [N, C, H, W] that the boxes lie in.
        min_sizes, max_sizes: in pixels, a number or a list; a square box between each pair is added.
        aspect_ratios: width to height, a number or a list.
        variance: repeated for every box.
        flip: also the reciprocals of the ratios.
        clip: cut the boxes off at the borders of the image.
        steps: [width, height] of a place in pixels; 0: image / feature map.
        offset: where in its place the middle of a box is.
        min_max_aspect_ratios_order: both squares come before the boxes of other ratios.
    Returns:
        (boxes, variances), each [H, W, boxes of a place, 4]; no gradient goes through them.
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
    inputs: Any,
    image: Any,
    base_size: float,
    num_classes: int,
    aspect_ratios: Any,
    min_ratio: int | None = None,
    max_ratio: int | None = None,
    min_sizes: Any = None,
    max_sizes: Any = None,
    steps: Any = None,
    step_w: Any = None,
    step_h: Any = None,
    offset: float = 0.5,
    variance: Any = [0.1, 0.1, 0.2, 0.2],
    flip: bool = True,
    clip: bool = False,
    kernel_size: int = 1,
    pad: int = 0,
    stride: int = 1,
    name: str | None = None,
    min_max_aspect_ratios_order: bool = False,
) -> Any:
    """The head of a single-shot detector: for every prior box of several feature maps where it moves and what it shows.

    Args:
        inputs: feature maps [N, C, H, W], the finest first.
        image: the images [N, C, H, W].
        base_size: of an image, in pixels; with min_ratio and max_ratio (in percent) it gives the sizes of the boxes.
        num_classes: how many classes are scored.
        aspect_ratios: for every map a ratio or a list of them.
        min_sizes, max_sizes: for every map, in place of the ratios; needed for fewer than three maps.
        steps, step_w, step_h: for every map the size of a place in pixels, in both directions or in each.
        offset, variance, flip, clip, min_max_aspect_ratios_order: as prior_box has them.
        kernel_size, pad, stride: of the convolutions.
    Returns:
        (locations [N, boxes, 4], scores [N, boxes, num_classes], boxes [boxes, 4], variances [boxes, 4]); of a single
        map they are not brought together: [N, boxes * 4], [N, boxes * num_classes], [H, W, boxes of a place, 4].
    """
    maps = as_list(inputs)
    small, large = _sizes(len(maps), base_size, min_ratio, max_ratio, min_sizes, max_sizes)
    if len(as_list(aspect_ratios)) != len(maps):
        raise ArgumentError(f"multi_box_head: {len(maps)} inputs, but {len(as_list(aspect_ratios))} aspect_ratios")
    wide, high = _steps(len(maps), steps if step_w is None else step_w, steps if step_h is None else step_h)
    boxes, variances, locations, scores = [], [], [], []
    for i, feature in enumerate(maps):
        box, var = prior_box(
            feature, image, small[i], large[i], aspect_ratios[i], variance, flip, clip, [wide[i], high[i]], offset,
            min_max_aspect_ratios_order=min_max_aspect_ratios_order,
        )  # fmt: skip
        boxes.append(box)
        variances.append(var)
        for width, found in ((4, locations), (num_classes, scores)):
            predicted = conv2d(feature, box.shape[2] * width, kernel_size, stride=stride, padding=pad)
            found.append(flatten(transpose(predicted, [0, 2, 3, 1]), axis=1))
    if len(maps) == 1:
        return locations[0], scores[0], boxes[0], variances[0]
    flat = [(flatten(box, axis=3), flatten(var, axis=3)) for box, var in zip(boxes, variances)]
    all_boxes, all_variances = concat([box for box, _ in flat]), concat([var for _, var in flat])
    moved = reshape(concat(locations, axis=1), [0, -1, 4])
    scored = reshape(concat(scores, axis=1), [0, -1, num_classes])
    return moved, scored, stopped(all_boxes), stopped(all_variances)


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


def _steps(count: int, wide: Any, high: Any) -> tuple[list[float], list[float]]:
    found = []
    for what, steps in (("step_w", wide), ("step_h", high)):
        if steps is not None and len(steps) != count:
            raise ArgumentError(f"multi_box_head: {count} inputs, but {len(steps)} of steps or {what}")
        found.append([0.0] * count if steps is None else list(steps))
    return found[0], found[1]


def _floats(values: Any) -> list[float]:
    return [float(value) for value in as_list(values)]
