"""YOLOv3: the loss of a head, and its boxes."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.ops.detection.yolo_box import yolo_box as yolo_box_op
from refluid.ops.detection.yolov3_loss import yolov3_loss as yolov3_loss_op


def yolo_box(
    x: BaseVariable,
    img_size: BaseVariable,
    anchors: Sequence[int],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
) -> tuple[BaseVariable, BaseVariable]:
    """Boxes and scores from the output of a YOLOv3 head.

    Args:
        x: a float variable [N, anchors * (5 + class_num), H, W].
        img_size: int32 [N, 2], height and width of the images.
        anchors: width and height of each anchor in pixels.
        class_num: the number of classes.
        conf_thresh: boxes and scores of a lower objectness are zero.
        downsample_ratio: image size / feature map size.
        clip_bbox: clip the boxes to the image.
        scale_x_y: the scale of the center's offset.

    Returns:
        (boxes [N, anchors * H * W, 4], scores [N, anchors * H * W, class_num]).

    Example:
        >>> x, size = fluid.data("x", [None, 14, 13, 13]), fluid.data("size", [None, 2], "int32")
        >>> boxes, scores = fluid.layers.yolo_box(x, size, [10, 13, 16, 30], 2, conf_thresh=0.01, downsample_ratio=32)
        >>> boxes.shape, scores.shape
        ((-1, 338, 4), (-1, 338, 2))
    """
    return yolo_box_op(
        x, img_size, name=LayerName("yolo_box", name), class_num=class_num, anchors=_ints("yolo_box: anchors", anchors),
        downsample_ratio=downsample_ratio, conf_thresh=conf_thresh, clip_bbox=clip_bbox,
        scale_x_y=scale_x_y,
    )  # fmt: skip


def yolov3_loss(
    x: BaseVariable,
    gt_box: BaseVariable,
    gt_label: BaseVariable,
    anchors: Sequence[int],
    anchor_mask: Sequence[int],
    class_num: int,
    ignore_thresh: float,
    downsample_ratio: int,
    gt_score: BaseVariable | None = None,
    use_label_smooth: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
) -> BaseVariable:
    """The loss of one head of YOLOv3 (Redmon and Farhadi, 2018).

    Args:
        x: a float variable [N, anchors of the head * (5 + class_num), H, H].
        gt_box: float ground-truth boxes [N, B, 4]: center x, center y, width, height, as fractions of the image;
            zeros are padding.
        gt_label: int32 [N, B], their classes.
        anchors: width and height in pixels of each anchor of all heads.
        anchor_mask: the indices of the head's anchors.
        class_num: the number of classes.
        ignore_thresh: predictions whose IoU with a ground-truth box exceeds it have no objectness loss.
        downsample_ratio: image size / feature map size.
        gt_score: the weights of the ground-truth boxes, float [N, B]; None for 1.
        use_label_smooth: smooth the class targets.
        scale_x_y: the scale of the center's offset.

    Returns:
        The loss of every image, [N].

    Example:
        >>> x = fluid.data("x", [None, 14, 13, 13])
        >>> box, label = fluid.data("box", [None, 6, 4]), fluid.data("label", [None, 6], "int32")
        >>> fluid.layers.yolov3_loss(
        ...     x, box, label, [10, 13, 16, 30], [0, 1], 2, ignore_thresh=0.7, downsample_ratio=32
        ... ).shape
        (-1,)
    """
    return yolov3_loss_op(
        x, gt_box, gt_label, gt_score, name=LayerName("yolov3_loss", name),
        anchors=_ints("yolov3_loss: anchors", anchors), anchor_mask=_ints("yolov3_loss: anchor_mask", anchor_mask),
        class_num=class_num, ignore_thresh=ignore_thresh, downsample_ratio=downsample_ratio,
        use_label_smooth=use_label_smooth, scale_x_y=scale_x_y,
    )[0]  # fmt: skip


def _ints(what: str, values: object) -> list[int]:
    if not isinstance(values, list | tuple):
        raise ArgumentError(f"{what} must be a list of ints, got {values!r:.60}")
    return [int(value) for value in values]
