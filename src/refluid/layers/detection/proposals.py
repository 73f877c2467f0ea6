"""Region proposals: generation, training targets, and the levels of a feature pyramid."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import as_list
from refluid.layers.indexing import gather
from refluid.layers.mixed import stopped
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
    scores: BaseVariable,
    bbox_deltas: BaseVariable,
    im_info: BaseVariable,
    anchors: BaseVariable,
    variances: BaseVariable,
    pre_nms_top_n: int = 6000,
    post_nms_top_n: int = 1000,
    nms_thresh: float = 0.5,
    min_size: float = 0.1,
    eta: float = 1.0,
    name: str | None = None,
    return_rois_num: bool = False,
) -> tuple[BaseVariable, ...]:
    """The proposals of a region proposal network: decoded anchors after non-maximum suppression (Ren et al., 2015).

    Args:
        scores: float objectness [N, A, H, W].
        bbox_deltas: float offsets [N, 4 * A, H, W] of the anchors.
        im_info: float [N, 3]: height, width and scale of the images.
        anchors: float [H, W, A, 4].
        variances: float [H, W, A, 4].
        pre_nms_top_n: the number of proposals of an image before the suppression.
        post_nms_top_n: the number after it.
        nms_thresh: the IoU above which the lower of two is suppressed.
        min_size: the smallest side in pixels before scaling.
        eta: below 1, the factor that a threshold above 0.5 shrinks by with every kept proposal.
        return_rois_num: also return the cumulative numbers of proposals of the images, int64 [N].

    Returns:
        (proposals [n, 4], scores [n, 1]), LoDTensors with a sequence per image; no gradient flows through them.

    Example:
        >>> scores, deltas = fluid.data("scores", [None, 3, 5, 5]), fluid.data("deltas", [None, 12, 5, 5])
        >>> im_info = fluid.data("im_info", [None, 3])
        >>> anchors, variances = fluid.data("anchors", [5, 5, 3, 4]), fluid.data("variances", [5, 5, 3, 4])
        >>> rois, probabilities = fluid.layers.generate_proposals(scores, deltas, im_info, anchors, variances)
        >>> rois.shape
        (-1, 4)
    """
    rois, probs, ends = proposals_op(
        scores, bbox_deltas, im_info, anchors, variances, name=LayerName("generate_proposals", name),
        pre_nms_topN=pre_nms_top_n, post_nms_topN=post_nms_top_n, nms_thresh=float(nms_thresh),
        min_size=float(min_size), eta=float(eta),
    )  # fmt: skip
    proposals = stopped(rois), stopped(probs)
    return (*proposals, stopped(ends)) if return_rois_num else proposals


def rpn_target_assign(
    bbox_pred: BaseVariable,
    cls_logits: BaseVariable,
    anchor_box: BaseVariable,
    anchor_var: BaseVariable,
    gt_boxes: BaseVariable,
    is_crowd: BaseVariable,
    im_info: BaseVariable,
    rpn_batch_size_per_im: int = 256,
    rpn_straddle_thresh: float = 0.0,
    rpn_fg_fraction: float = 0.5,
    rpn_positive_overlap: float = 0.7,
    rpn_negative_overlap: float = 0.3,
    use_random: bool = True,
) -> tuple[BaseVariable, ...]:
    """Training targets of a region proposal network: sampled foreground and background anchors (Ren et al., 2015).

    Args:
        bbox_pred: float predicted offsets [N, A, 4].
        cls_logits: float predicted objectness [N, A, 1].
        anchor_box: float [A, 4], in pixels.
        anchor_var: float [A, 4]; not read, as in Fluid.
        gt_boxes: ground-truth boxes, a float LoDTensor [boxes, 4] in pixels before scaling, a sequence per image.
        is_crowd: int32 LoDTensor [boxes, 1].
        im_info: float [N, 3]: height, width and scale of the images.
        rpn_batch_size_per_im: the number of sampled anchors of an image.
        rpn_straddle_thresh: how many pixels an anchor may lie outside of the image; negative for any number.
        rpn_fg_fraction: the fraction of foreground anchors.
        rpn_positive_overlap: the IoU with a ground-truth box from which on an anchor is foreground.
        rpn_negative_overlap: the IoU below which it is background.
        use_random: sample at random; False takes the first.

    Returns:
        (objectness [F + B, 1], offsets [F, 4], int32 labels [F + B, 1], target offsets [F, 4], weights [F, 4]) of F
        foreground and B background anchors.
    """
    location, score, target, label, weight = rpn_op(
        anchor_box, gt_boxes, is_crowd, im_info, name=LayerName("rpn_target_assign"),
        rpn_batch_size_per_im=rpn_batch_size_per_im, rpn_straddle_thresh=float(rpn_straddle_thresh),
        rpn_positive_overlap=float(rpn_positive_overlap), rpn_negative_overlap=float(rpn_negative_overlap),
        rpn_fg_fraction=float(rpn_fg_fraction), use_random=use_random,
    )  # fmt: skip
    logits, offsets = _gathered(cls_logits, 1, score, bbox_pred, location)
    return logits, offsets, stopped(label), stopped(target), stopped(weight)


def retinanet_target_assign(
    bbox_pred: BaseVariable,
    cls_logits: BaseVariable,
    anchor_box: BaseVariable,
    anchor_var: BaseVariable,
    gt_boxes: BaseVariable,
    gt_labels: BaseVariable,
    is_crowd: BaseVariable,
    im_info: BaseVariable,
    num_classes: int = 1,
    positive_overlap: float = 0.5,
    negative_overlap: float = 0.4,
) -> tuple[BaseVariable, ...]:
    """Training targets of a RetinaNet: all foreground and background anchors (Lin et al., 2017).

    Args:
        bbox_pred: float predicted offsets [N, A, 4].
        cls_logits: float predicted scores [N, A, num_classes].
        anchor_box: float [A, 4], in pixels.
        anchor_var: float [A, 4]; not read, as in Fluid.
        gt_boxes: ground-truth boxes, a float LoDTensor [boxes, 4] in pixels before scaling, a sequence per image.
        gt_labels: int32 LoDTensor [boxes, 1], classes from 1.
        is_crowd: int32 LoDTensor [boxes, 1].
        im_info: float [N, 3]: height, width and scale of the images.
        num_classes: the number of classes.
        positive_overlap: the IoU with a ground-truth box from which on an anchor is foreground.
        negative_overlap: the IoU below which it is background.

    Returns:
        (scores [F + B, num_classes], offsets [F, 4], int32 labels [F + B, 1], target offsets [F, 4], weights [F, 4],
        int32 [N, 1]: one more than the number of foreground anchors of every image).
    """
    location, score, target, label, weight, foreground = retinanet_op(
        anchor_box, gt_boxes, gt_labels, is_crowd, im_info, name=LayerName("retinanet_target_assign"),
        positive_overlap=float(positive_overlap), negative_overlap=float(negative_overlap),
    )  # fmt: skip
    logits, offsets = _gathered(cls_logits, num_classes, score, bbox_pred, location)
    return logits, offsets, stopped(label), stopped(target), stopped(weight), stopped(foreground)


def _gathered(
    logits: BaseVariable, width: int, score: BaseVariable, offsets: BaseVariable, location: BaseVariable
) -> tuple[BaseVariable, BaseVariable]:
    """The predictions of the sampled anchors."""
    rows, boxes = reshape(logits, [-1, width]), reshape(offsets, [-1, 4])
    return gather(rows, stopped(score)), gather(boxes, stopped(location))


def generate_proposal_labels(
    rpn_rois: BaseVariable,
    gt_classes: BaseVariable,
    is_crowd: BaseVariable,
    gt_boxes: BaseVariable,
    im_info: BaseVariable,
    batch_size_per_im: int = 256,
    fg_fraction: float = 0.25,
    fg_thresh: float = 0.25,
    bg_thresh_hi: float = 0.5,
    bg_thresh_lo: float = 0.0,
    bbox_reg_weights: Sequence[float] = [0.1, 0.1, 0.2, 0.2],
    class_nums: int | None = None,
    use_random: bool = True,
    is_cls_agnostic: bool = False,
    is_cascade_rcnn: bool = False,
) -> tuple[BaseVariable, ...]:
    """Training targets of a detector: sampled regions with their classes and offsets (Ren et al., 2015).

    Args:
        rpn_rois: proposals, a float LoDTensor [n, 4] in pixels, a sequence per image.
        gt_classes: int32 LoDTensor [boxes, 1].
        is_crowd: int32 LoDTensor [boxes, 1].
        gt_boxes: ground-truth boxes, a float LoDTensor [boxes, 4] in pixels before scaling.
        im_info: float [N, 3]: height, width and scale of the images.
        batch_size_per_im: the number of sampled regions of an image.
        fg_fraction: the fraction of foreground regions.
        fg_thresh: the IoU with a ground-truth box from which on a region is foreground.
        bg_thresh_hi: the excluded upper bound of the IoU of background regions.
        bg_thresh_lo: the lower bound.
        bbox_reg_weights: the four divisors of the offsets.
        class_nums: the number of classes with the background.
        use_random: sample at random; False takes the first.
        is_cls_agnostic: all classes but the background share their offsets.
        is_cascade_rcnn: take all proposals.

    Returns:
        (regions [m, 4], int32 classes [m, 1], offsets [m, 4 * class_nums], inside weights, outside weights), LoDTensors
        with a sequence per image.
    """
    if class_nums is None:
        raise ArgumentError("generate_proposal_labels: class_nums must be given")
    targets = labels_op(
        rpn_rois, gt_classes, is_crowd, gt_boxes, im_info, name=LayerName("generate_proposal_labels"),
        batch_size_per_im=batch_size_per_im, fg_fraction=float(fg_fraction), fg_thresh=float(fg_thresh),
        bg_thresh_hi=float(bg_thresh_hi), bg_thresh_lo=float(bg_thresh_lo),
        bbox_reg_weights=[float(w) for w in bbox_reg_weights], class_nums=class_nums, use_random=use_random,
        is_cls_agnostic=is_cls_agnostic, is_cascade_rcnn=is_cascade_rcnn,
    )  # fmt: skip
    return tuple(map(stopped, targets))


def generate_mask_labels(
    im_info: BaseVariable,
    gt_classes: BaseVariable,
    is_crowd: BaseVariable,
    gt_segms: BaseVariable,
    rois: BaseVariable,
    labels_int32: BaseVariable,
    num_classes: int,
    resolution: int,
) -> tuple[BaseVariable, ...]:
    """Training targets of a Mask R-CNN: the masks of foreground regions (He et al., 2017).

    Args:
        im_info: float [N, 3]: height, width and scale of the images.
        gt_classes: int32 LoDTensor [objects, 1], a sequence per image.
        is_crowd: int32 LoDTensor [objects, 1].
        gt_segms: the corners of polygons, a float LoDTensor [points, 2] of three levels: image, object, polygon.
        rois: regions, a float LoDTensor [m, 4] in pixels.
        labels_int32: their classes, int32 LoDTensor [m, 1].
        num_classes: the number of classes with the background.
        resolution: height and width of the masks.

    Returns:
        (regions [k, 4], int32 [k, 1]: their indices among the image's rois, int32 masks
        [k, num_classes * resolution ** 2], -1 but for the class of the region), LoDTensors with a sequence per image.
    """
    targets = mask_labels_op(
        im_info, gt_classes, is_crowd, gt_segms, rois, labels_int32, name=LayerName("generate_mask_labels"),
        num_classes=num_classes, resolution=resolution,
    )  # fmt: skip
    return tuple(map(stopped, targets))


def distribute_fpn_proposals(
    fpn_rois: BaseVariable, min_level: int, max_level: int, refer_level: int, refer_scale: int, name: str | None = None
) -> tuple[list[BaseVariable], BaseVariable]:
    """Regions assigned to the levels of a feature pyramid by their sizes (Lin et al., 2017).

    Args:
        fpn_rois: a float LoDTensor [n, 4] in pixels, a sequence per image.
        min_level: the lowest level.
        max_level: the highest level.
        refer_level: the level of a region of refer_scale ** 2 pixels.
        refer_scale: see refer_level.

    Returns:
        (a list of the regions of every level, int32 [n, 1]: the position of each region among those of all levels).
    """
    return distribute_op(
        fpn_rois, name=LayerName("distribute_fpn_proposals", name), min_level=min_level, max_level=max_level,
        refer_level=refer_level, refer_scale=refer_scale,
    )  # fmt: skip


def collect_fpn_proposals(
    multi_rois: Sequence[BaseVariable],
    multi_scores: Sequence[BaseVariable],
    min_level: int,
    max_level: int,
    post_nms_top_n: int,
    name: str | None = None,
) -> BaseVariable:
    """The regions with the highest scores of all levels of a feature pyramid.

    Args:
        multi_rois: for every level a float LoDTensor [n, 4], a sequence per image.
        multi_scores: for every level a float LoDTensor [n, 1].
        min_level: the lowest level.
        max_level: the highest level.
        post_nms_top_n: the number of regions.

    Returns:
        A LoDTensor [at most post_nms_top_n, 4], a sequence per image; no gradient flows through it.
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
