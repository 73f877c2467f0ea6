"""Proposals of regions: made, labelled, and sent to the levels of a feature pyramid."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.common import as_list
from refluid.layers.indexing import gather
from refluid.layers.numbers import stopped
from refluid.layers.shape import reshape
from refluid.ops.detection.fpn_proposals import (
    collect_fpn_proposals as collect_op,
    distribute_fpn_proposals as distribute_op,
)
from refluid.ops.detection.generate_mask_labels import generate_mask_labels as mask_labels_op
from refluid.ops.detection.generate_proposal_labels import generate_proposal_labels as labels_op
from refluid.ops.detection.generate_proposals import generate_proposals as proposals_op
from refluid.ops.detection.rpn_target_assign import (
    retinanet_target_assign as retinanet_op,
    rpn_target_assign as rpn_op,
)


def generate_proposals(
    scores: Any,
    bbox_deltas: Any,
    im_info: Any,
    anchors: Any,
    variances: Any,
    pre_nms_top_n: int = 6000,
    post_nms_top_n: int = 1000,
    nms_thresh: float = 0.5,
    min_size: float = 0.1,
    eta: float = 1.0,
    name: str | None = None,
    return_rois_num: bool = False,
) -> Any:
    """The regions that a region proposal network finds promising.

    Args:
        scores: [N, A, H, W].
        bbox_deltas: moves [N, 4 * A, H, W] of the anchors.
        im_info: [N, 3]: height, width and scale of the images.
        anchors, variances: [H, W, A, 4].
        pre_nms_top_n, post_nms_top_n: how many of an image are looked at, and stay.
        nms_thresh: how much two of them may overlap.
        min_size: of a side, in pixels before scaling.
        eta: below 1, a threshold above 0.5 shrinks by it with every region that stays.
        return_rois_num: also where the regions of every image end, int64 [N].
    Returns:
        (regions [n, 4], their scores [n, 1]), with a LoD by image.
    """
    rois, probs, ends = proposals_op(
        scores, bbox_deltas, im_info, anchors, variances, name=LayerName("generate_proposals", name),
        pre_nms_topN=pre_nms_top_n, post_nms_topN=post_nms_top_n, nms_thresh=float(nms_thresh),
        min_size=float(min_size), eta=float(eta),
    )  # fmt: skip
    found = stopped(rois), stopped(probs)
    return (*found, stopped(ends)) if return_rois_num else found


def rpn_target_assign(
    bbox_pred: Any,
    cls_logits: Any,
    anchor_box: Any,
    anchor_var: Any,
    gt_boxes: Any,
    is_crowd: Any,
    im_info: Any,
    rpn_batch_size_per_im: int = 256,
    rpn_straddle_thresh: float = 0.0,
    rpn_fg_fraction: float = 0.5,
    rpn_positive_overlap: float = 0.7,
    rpn_negative_overlap: float = 0.3,
    use_random: bool = True,
) -> Any:
    """What a region proposal network learns from a batch: some anchors with objects, some without.

    Args:
        bbox_pred, cls_logits: predictions [N, A, 4] and [N, A, 1].
        anchor_box: [A, 4] in pixels; anchor_var is not read, as in Fluid.
        gt_boxes, is_crowd: true boxes [boxes, 4] before scaling, and int32 [boxes, 1], with a LoD by image.
        im_info: [N, 3]: height, width and scale of the images.
        rpn_batch_size_per_im, rpn_fg_fraction: how many anchors of an image, and how many of them with objects.
        rpn_straddle_thresh: how far an anchor may leave the image; negative: any.
        rpn_positive_overlap, rpn_negative_overlap: from where, and up to where, an anchor has an object or none.
        use_random: draw; else take the first.
    Returns:
        (predicted scores [F + B, 1], predicted moves [F, 4], int32 labels [F + B, 1], true moves [F, 4], weights
        [F, 4]) of F anchors with objects and B without.
    """
    place, score, target, label, weight = rpn_op(
        anchor_box, gt_boxes, is_crowd, im_info, name=LayerName("rpn_target_assign"),
        rpn_batch_size_per_im=rpn_batch_size_per_im, rpn_straddle_thresh=float(rpn_straddle_thresh),
        rpn_positive_overlap=float(rpn_positive_overlap), rpn_negative_overlap=float(rpn_negative_overlap),
        rpn_fg_fraction=float(rpn_fg_fraction), use_random=use_random,
    )  # fmt: skip
    logits, moves = _gathered(cls_logits, 1, score, bbox_pred, place)
    return logits, moves, stopped(label), stopped(target), stopped(weight)


def retinanet_target_assign(
    bbox_pred: Any,
    cls_logits: Any,
    anchor_box: Any,
    anchor_var: Any,
    gt_boxes: Any,
    gt_labels: Any,
    is_crowd: Any,
    im_info: Any,
    num_classes: int = 1,
    positive_overlap: float = 0.5,
    negative_overlap: float = 0.4,
) -> Any:
    """What a RetinaNet learns from a batch: every anchor that clearly has an object or none.

    Args:
        bbox_pred, cls_logits: predictions [N, A, 4] and [N, A, num_classes].
        anchor_box, anchor_var, gt_boxes, is_crowd, im_info: as rpn_target_assign has them.
        gt_labels: int32 [boxes, 1] with a LoD by image, classes from 1.
        positive_overlap, negative_overlap: from where, and up to where, an anchor has an object or none.
    Returns:
        (predicted scores [F + B, num_classes], predicted moves [F, 4], int32 labels [F + B, 1], true moves [F, 4],
        weights [F, 4], int32 [N, 1] one more than the anchors with objects of every image).
    """
    place, score, target, label, weight, number = retinanet_op(
        anchor_box, gt_boxes, gt_labels, is_crowd, im_info, name=LayerName("retinanet_target_assign"),
        positive_overlap=float(positive_overlap), negative_overlap=float(negative_overlap),
    )  # fmt: skip
    logits, moves = _gathered(cls_logits, num_classes, score, bbox_pred, place)
    return logits, moves, stopped(label), stopped(target), stopped(weight), stopped(number)


def _gathered(logits: Any, width: int, score: Any, moves: Any, place: Any) -> tuple[Any, Any]:
    """The predictions of the anchors that were chosen."""
    rows, boxes = reshape(logits, [-1, width]), reshape(moves, [-1, 4])
    return gather(rows, stopped(score)), gather(boxes, stopped(place))


def generate_proposal_labels(
    rpn_rois: Any,
    gt_classes: Any,
    is_crowd: Any,
    gt_boxes: Any,
    im_info: Any,
    batch_size_per_im: int = 256,
    fg_fraction: float = 0.25,
    fg_thresh: float = 0.25,
    bg_thresh_hi: float = 0.5,
    bg_thresh_lo: float = 0.0,
    bbox_reg_weights: Any = [0.1, 0.1, 0.2, 0.2],
    class_nums: int | None = None,
    use_random: bool = True,
    is_cls_agnostic: bool = False,
    is_cascade_rcnn: bool = False,
) -> Any:
    """Regions that a detector learns from, and what.

    Args:
        rpn_rois: proposals [n, 4] in pixels, with a LoD by image.
        gt_classes, is_crowd, gt_boxes: int32 [boxes, 1], int32 [boxes, 1] and [boxes, 4] before scaling, by image.
        im_info: [N, 3]: height, width and scale of the images.
        batch_size_per_im, fg_fraction: how many regions of an image, and how many of them with objects.
        fg_thresh: from where a region that overlaps a box learns it.
        bg_thresh_hi, bg_thresh_lo: between which it learns the background.
        bbox_reg_weights: what moves are divided by.
        class_nums: with the background.
        use_random: draw; else take the first.
        is_cls_agnostic: all classes but the background share a place among the moves.
        is_cascade_rcnn: take all proposals.
    Returns:
        (regions [m, 4], int32 classes [m, 1], moves [m, 4 * class_nums], inside weights, outside weights), by image.
    """
    if class_nums is None:
        raise ArgumentError("generate_proposal_labels: class_nums must be given")
    found = labels_op(
        rpn_rois, gt_classes, is_crowd, gt_boxes, im_info, name=LayerName("generate_proposal_labels"),
        batch_size_per_im=batch_size_per_im, fg_fraction=float(fg_fraction), fg_thresh=float(fg_thresh),
        bg_thresh_hi=float(bg_thresh_hi), bg_thresh_lo=float(bg_thresh_lo),
        bbox_reg_weights=[float(w) for w in bbox_reg_weights], class_nums=class_nums, use_random=use_random,
        is_cls_agnostic=is_cls_agnostic, is_cascade_rcnn=is_cascade_rcnn,
    )  # fmt: skip
    return tuple(map(stopped, found))


def generate_mask_labels(
    im_info: Any,
    gt_classes: Any,
    is_crowd: Any,
    gt_segms: Any,
    rois: Any,
    labels_int32: Any,
    num_classes: int,
    resolution: int,
) -> Any:
    """The masks that a Mask R-CNN learns for regions with objects.

    Args:
        im_info: [N, 3]: height, width and scale of the images.
        gt_classes, is_crowd: int32 [objects, 1] with a LoD by image.
        gt_segms: corners [points, 2] of polygons, with a LoD of three levels: image, object, polygon.
        rois, labels_int32: regions [m, 4] in pixels and their int32 classes [m, 1], by image.
        num_classes: with the background.
        resolution: the masks are that high and wide.
    Returns:
        (regions [k, 4], int32 [k, 1] their numbers among rois of the image, int32 masks
        [k, num_classes * resolution ** 2], -1 but for the class of the region), by image.
    """
    found = mask_labels_op(
        im_info, gt_classes, is_crowd, gt_segms, rois, labels_int32, name=LayerName("generate_mask_labels"),
        num_classes=num_classes, resolution=resolution,
    )  # fmt: skip
    return tuple(map(stopped, found))


def distribute_fpn_proposals(
    fpn_rois: Any, min_level: int, max_level: int, refer_level: int, refer_scale: int, name: str | None = None
) -> Any:
    """Send regions to the levels of a feature pyramid, by their sizes.

    Args:
        fpn_rois: [n, 4] in pixels, with a LoD by image.
        min_level, max_level: the levels that there are.
        refer_level, refer_scale: a region of refer_scale ** 2 pixels goes to refer_level.
    Returns:
        (a list of the regions of every level, int32 [n, 1] where each region stands among those of all levels).
    """
    return distribute_op(
        fpn_rois, name=LayerName("distribute_fpn_proposals", name), min_level=min_level, max_level=max_level,
        refer_level=refer_level, refer_scale=refer_scale,
    )  # fmt: skip


def collect_fpn_proposals(
    multi_rois: Any, multi_scores: Any, min_level: int, max_level: int, post_nms_top_n: int, name: str | None = None
) -> Any:
    """The best regions of all levels of a feature pyramid.

    Args:
        multi_rois, multi_scores: lists of [n, 4] and [n, 1] of every level, with a LoD by image.
        min_level, max_level: the levels that there are.
        post_nms_top_n: how many stay.
    Returns:
        [at most post_nms_top_n, 4], with a LoD by image.
    """
    count = max_level - min_level + 1
    rois, scores = as_list(multi_rois)[:count], as_list(multi_scores)[:count]
    if not len(rois) == len(scores) == count:
        raise ArgumentError(
            f"collect_fpn_proposals: {count} levels, but {len(rois)} multi_rois and {len(scores)} multi_scores"
        )
    return stopped(collect_op(
        rois, scores, name=LayerName("collect_fpn_proposals", name), post_nms_topN=post_nms_top_n
    ))  # fmt: skip
