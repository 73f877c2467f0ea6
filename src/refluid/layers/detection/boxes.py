"""Boxes: their overlaps, as differences from prior boxes, within images."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.numbers import is_variable
from refluid.ops.detection.box_clip import box_clip as box_clip_op
from refluid.ops.detection.box_coder import box_coder as box_coder_op
from refluid.ops.detection.box_decoder_and_assign import box_decoder_and_assign as assign_op
from refluid.ops.detection.iou_similarity import iou_similarity as iou_similarity_op
from refluid.ops.detection.polygon_box_transform import polygon_box_transform as polygon_op


def iou_similarity(x: Any, y: Any, box_normalized: bool = True, name: str | None = None) -> Any:
    """Intersection over union of boxes (left, top, right, bottom).

    Args:
        x: [N, 4], possibly with a LoD, which the result carries.
        y: [M, 4].
        box_normalized: False if boxes count pixels, and so hold those of their right and lower sides too.
    Returns:
        [N, M].
    """
    return iou_similarity_op(x, y, name=LayerName("iou_similarity", name), box_normalized=box_normalized)


def box_coder(
    prior_box: Any,
    prior_box_var: Any,
    target_box: Any,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    name: str | None = None,
    axis: int = 0,
) -> Any:
    """Boxes as moves and stretches of prior boxes, or back.

    Args:
        prior_box: [M, 4].
        prior_box_var: the variances that moves are divided by: [M, 4], a list of 4 numbers, or None.
        target_box: to encode boxes [N, 4], with every prior box; to decode moves [N, M, 4].
        code_type: "encode_center_size" or "decode_center_size".
        box_normalized: False if boxes count pixels.
        axis: of moves that which the prior boxes are not along: 0 for [N, M, 4], 1 for [M, N, 4].
    Returns:
        [N, M, 4].
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


def box_clip(input: Any, im_info: Any, name: str | None = None) -> Any:
    """Boxes cut off at the borders of their images.

    Args:
        input: [N, 4] or [N, classes, 4], with a LoD by image.
        im_info: [images, 3]: height, width and scale; the borders are those before scaling.
    Returns:
        As input.
    """
    return box_clip_op(input, im_info, name=LayerName("box_clip", name))


def box_decoder_and_assign(
    prior_box: Any, prior_box_var: Any, target_box: Any, box_score: Any, box_clip: float, name: str | None = None
) -> Any:
    """The boxes of every class, and that of the best class of every prior box.

    Args:
        prior_box: [N, 4] in pixels.
        prior_box_var: the variances [4].
        target_box: moves [N, classes * 4].
        box_score: [N, classes]; class 0 is the background.
        box_clip: no side grows by more than exp(box_clip).
    Returns:
        (boxes [N, classes * 4], the best one [N, 4]).
    """
    return assign_op(
        prior_box, prior_box_var, target_box, box_score, name=LayerName("box_decoder_and_assign", name),
        box_clip=box_clip,
    )  # fmt: skip


def polygon_box_transform(input: Any, name: str | None = None) -> Any:
    """Distances to the corners of polygons, on a map a quarter the size of the image, as the corners themselves.

    Args:
        input: [N, 2 * corners (x, y), H, W].
    Returns:
        As input, in pixels of the image.
    """
    return polygon_op(input, name=LayerName("polygon_box_transform", name))
