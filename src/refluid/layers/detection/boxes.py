"""Boxes: intersection over union, encoding and decoding, clipping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable
from refluid.ops.detection.box_clip import box_clip as box_clip_op
from refluid.ops.detection.box_coder import box_coder as box_coder_op
from refluid.ops.detection.box_decoder_and_assign import box_decoder_and_assign as assign_op
from refluid.ops.detection.iou_similarity import iou_similarity as iou_similarity_op
from refluid.ops.detection.polygon_box_transform import polygon_box_transform as polygon_op


def iou_similarity(
    x: BaseVariable, y: BaseVariable, box_normalized: bool = True, name: str | None = None
) -> BaseVariable:
    """Intersection over union of every pair of boxes (left, top, right, bottom).

    Args:
        x: a float variable [N, 4]; it may have a LoD.
        y: a float variable [M, 4].
        box_normalized: False for boxes in pixels, whose width is right - left + 1.

    Returns:
        A variable [N, M] with the LoD of x.
    """
    return iou_similarity_op(x, y, name=LayerName("iou_similarity", name), box_normalized=box_normalized)


def box_coder(
    prior_box: BaseVariable,
    prior_box_var: BaseVariable | Sequence[float] | None,
    target_box: BaseVariable,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    name: str | None = None,
    axis: int = 0,
) -> BaseVariable:
    """Boxes encoded as offsets from prior boxes (center and log size, divided by variances), or decoded.

    Args:
        prior_box: a float variable [M, 4].
        prior_box_var: the variances: a float variable [M, 4], a list of 4 numbers, or None for 1.
        target_box: to encode, float boxes [N, 4]; to decode, float offsets [N, M, 4].
        code_type: "encode_center_size" or "decode_center_size".
        box_normalized: False for boxes in pixels, whose width is right - left + 1.
        axis: to decode, 0 for target_box [N, M, 4], 1 for [M, N, 4].

    Returns:
        A variable [N, M, 4], or of the shape of target_box when decoding.

    Example:
        >>> prior = fluid.data("prior", [10, 4])
        >>> target = fluid.data("target", [3, 4])
        >>> fluid.layers.box_coder(prior, [0.1, 0.1, 0.2, 0.2], target).shape
        (3, 10, 4)
    """
    attrs: dict[str, Any] = {}
    variances = prior_box_var
    if isinstance(prior_box_var, list | tuple):
        attrs["variance"], variances = [float(v) for v in prior_box_var], None
    elif prior_box_var is not None and not is_variable(prior_box_var):
        raise ArgumentError(f"box_coder: prior_box_var must be a Variable or a list, got {prior_box_var!r:.60}")
    return box_coder_op(
        prior_box, variances, target_box, name=LayerName("box_coder", name), code_type=code_type,
        box_normalized=box_normalized, axis=axis, **attrs,
    )  # fmt: skip


def box_clip(input: BaseVariable, im_info: BaseVariable, name: str | None = None) -> BaseVariable:
    """Boxes clipped to their images.

    Args:
        input: a float LoDTensor [N, 4] or [N, classes, 4], a sequence per image.
        im_info: a float variable [images, 3]: height, width and scale; boxes are in pixels before scaling.

    Returns:
        A variable of the shape and LoD of input.
    """
    return box_clip_op(input, im_info, name=LayerName("box_clip", name))


def box_decoder_and_assign(
    prior_box: BaseVariable,
    prior_box_var: BaseVariable,
    target_box: BaseVariable,
    box_score: BaseVariable,
    box_clip: float,
    name: str | None = None,
) -> tuple[BaseVariable, BaseVariable]:
    """The decoded boxes of every class, and that of the best class of every prior box.

    Args:
        prior_box: a float variable [N, 4], in pixels.
        prior_box_var: the variances, float [4].
        target_box: float offsets [N, classes * 4].
        box_score: float scores [N, classes]; class 0 is the background.
        box_clip: the upper bound of the log size offsets.

    Returns:
        (boxes [N, classes * 4], the box of the best class [N, 4]).
    """
    return assign_op(
        prior_box, prior_box_var, target_box, box_score, name=LayerName("box_decoder_and_assign", name),
        box_clip=box_clip,
    )  # fmt: skip


def polygon_box_transform(input: BaseVariable, name: str | None = None) -> BaseVariable:
    """Offsets of polygon corners, on a feature map of a quarter of the image's size, as coordinates in the image.

    Args:
        input: a float variable [N, 2 * corners, H, W], x and y in turn.

    Returns:
        A variable of the shape of input.
    """
    return polygon_op(input, name=LayerName("polygon_box_transform", name))
