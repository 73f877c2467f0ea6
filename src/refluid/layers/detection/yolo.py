"""YOLO: the loss of a head, and the boxes that it predicts."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ops.detection.yolo_box import yolo_box as yolo_box_op
from refluid.ops.detection.yolov3_loss import yolov3_loss as yolov3_loss_op


def yolo_box(
    x: Any,
    img_size: Any,
    anchors: Any,
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
) -> Any:
    """Boxes and scores from what a YOLO head predicts.

    Args:
        x: [N, anchors * (5 + class_num), H, W].
        img_size: int32 [N, 2], height and width of the images.
        anchors: widths and heights in pixels, one after the other.
        conf_thresh: what is less sure is all zero.
        downsample_ratio: from the image to x.
        clip_bbox: cut the boxes off at the borders of the image.
        scale_x_y: how far the middle of a box may leave its place.
    Returns:
        (boxes [N, anchors * H * W, 4], scores [N, anchors * H * W, class_num]).
    """
    return yolo_box_op(
        x, img_size, name=LayerName("yolo_box", name), class_num=class_num, anchors=_ints("yolo_box: anchors", anchors),
        downsample_ratio=downsample_ratio, conf_thresh=conf_thresh, clip_bbox=clip_bbox,
        scale_x_y=scale_x_y,
    )  # fmt: skip


def yolov3_loss(
    x: Any,
    gt_box: Any,
    gt_label: Any,
    anchors: Any,
    anchor_mask: Any,
    class_num: int,
    ignore_thresh: float,
    downsample_ratio: int,
    gt_score: Any = None,
    use_label_smooth: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
) -> Any:
    """The loss of one head of YOLOv3.

    Args:
        x: [N, anchors of the head * (5 + class_num), H, H].
        gt_box: true boxes [N, B, 4]: middle x, middle y, width, height, as parts of the image; zeros fill up.
        gt_label: int32 [N, B], their classes.
        anchors: widths and heights in pixels of all heads.
        anchor_mask: which anchors are this head's.
        ignore_thresh: a place whose box overlaps a true one by more is not told that it shows nothing.
        downsample_ratio: from the image to x.
        gt_score: the weights [N, B] of the boxes.
        use_label_smooth: move the targets of classes a little towards each other.
        scale_x_y: how far the middle of a box may leave its place.
    Returns:
        The loss of every image [N].
    """
    return yolov3_loss_op(
        x, gt_box, gt_label, gt_score, name=LayerName("yolov3_loss", name),
        anchors=_ints("yolov3_loss: anchors", anchors), anchor_mask=_ints("yolov3_loss: anchor_mask", anchor_mask),
        class_num=class_num, ignore_thresh=ignore_thresh, downsample_ratio=downsample_ratio,
        use_label_smooth=use_label_smooth, scale_x_y=scale_x_y,
    )[0]  # fmt: skip


def _ints(what: str, values: Any) -> list[int]:
    if not isinstance(values, list | tuple):
        raise ArgumentError(f"{what} must be a list of ints, got {values!r:.60}")
    return [int(value) for value in values]
