"""Single-shot detectors: matching of prior boxes, the loss, and the detections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.activation import softmax
from refluid.layers.detection.boxes import box_coder, iou_similarity
from refluid.layers.indexing import slice
from refluid.layers.loss import smooth_l1, softmax_with_cross_entropy
from refluid.layers.mixed import stopped
from refluid.layers.reduce import reduce_sum
from refluid.layers.shape import flatten, reshape, shape, transpose
from refluid.layers.tensor import cast
from refluid.ops.detection.bipartite_match import bipartite_match as bipartite_match_op
from refluid.ops.detection.mine_hard_examples import mine_hard_examples
from refluid.ops.detection.nms import multiclass_nms as nms_op, multiclass_nms2 as indexed_nms_op
from refluid.ops.detection.target_assign import target_assign as target_assign_op


def bipartite_match(
    dist_matrix: BaseVariable,
    match_type: str | None = None,
    dist_threshold: float | None = None,
    name: str | None = None,
) -> tuple[BaseVariable, BaseVariable]:
    """Greedy bipartite matching of rows (ground-truth boxes) with columns (prior boxes), the most similar pair first.

    Args:
        dist_matrix: float similarities [rows, columns]; a LoDTensor has a sequence per image.
        match_type: "per_prediction" also matches every other column with its most similar row; None or "bipartite" does
            not.
        dist_threshold: the similarity from which on that is done; None for 0.5.

    Returns:
        (the row of every column or -1, int32; its similarity), each [images, columns].
    """
    attrs: dict[str, Any] = {} if match_type is None else {"match_type": match_type}
    if dist_threshold is not None:
        attrs["dist_threshold"] = float(dist_threshold)
    return bipartite_match_op(dist_matrix, name=LayerName("bipartite_match", name), **attrs)


def target_assign(
    input: BaseVariable,
    matched_indices: BaseVariable,
    negative_indices: BaseVariable | None = None,
    mismatch_value: int | None = None,
    name: str | None = None,
) -> tuple[BaseVariable, BaseVariable]:
    """The targets of prior boxes: the row of the input that each is matched with.

    Args:
        input: a LoDTensor [rows, P or 1, K] of any dtype, a sequence per image.
        matched_indices: int32 [images, P], -1 for no match.
        negative_indices: int32 LoDTensor [n, 1], a sequence per image: prior boxes whose target is `mismatch_value`
            with weight 1.
        mismatch_value: the target of prior boxes without a match; None for 0.

    Returns:
        (targets [images, P, K], weights [images, P, 1]).
    """
    attrs: dict[str, Any] = {} if mismatch_value is None else {"mismatch_value": mismatch_value}
    return target_assign_op(input, matched_indices, negative_indices, name=LayerName("target_assign", name), **attrs)


def ssd_loss(
    location: BaseVariable,
    confidence: BaseVariable,
    gt_box: BaseVariable,
    gt_label: BaseVariable,
    prior_box: BaseVariable,
    prior_box_var: BaseVariable | Sequence[float] | None = None,
    background_label: int = 0,
    overlap_threshold: float = 0.5,
    neg_pos_ratio: float = 3.0,
    neg_overlap: float = 0.5,
    loc_loss_weight: float = 1.0,
    conf_loss_weight: float = 1.0,
    match_type: str = "per_prediction",
    mining_type: str = "max_negative",
    normalize: bool = True,
    sample_size: int | None = None,
) -> BaseVariable:
    """The loss of a single-shot detector (Liu et al., 2016): smooth L1 of the offsets and cross entropy of the classes.

    Args:
        location: float predicted offsets [N, P, 4] of the prior boxes.
        confidence: float predicted logits [N, P, classes].
        gt_box: ground-truth boxes, a float LoDTensor [boxes, 4], a sequence per image.
        gt_label: their classes, an int LoDTensor [boxes, 1].
        prior_box: float [P, 4].
        prior_box_var: the variances of the prior boxes: a float variable [P, 4], a list of 4 numbers, or None.
        background_label: the class of the background.
        overlap_threshold: the IoU from which on a prior box matches a ground-truth box.
        neg_pos_ratio: the number of background boxes per matched one.
        neg_overlap: the upper bound of the IoU of background boxes.
        loc_loss_weight: the weight of the loss of the offsets.
        conf_loss_weight: the weight of the loss of the classes.
        match_type: "per_prediction" or "bipartite".
        mining_type: "max_negative", the only one, as in Fluid.
        normalize: divide by the number of matched prior boxes.
        sample_size: kept as an attribute of hard example mining; None for 0.

    Returns:
        The loss of every image, [N, 1].

    Example:
        >>> location, confidence = fluid.data("location", [None, 10, 4]), fluid.data("confidence", [None, 10, 3])
        >>> box = fluid.data("box", [None, 4], lod_level=1)
        >>> label = fluid.data("label", [None, 1], "int32", lod_level=1)
        >>> prior, variance = fluid.data("prior", [10, 4]), fluid.data("variance", [10, 4])
        >>> fluid.layers.ssd_loss(location, confidence, box, label, prior, variance).shape
        (-1, 1)
    """
    if mining_type != "max_negative":
        raise ArgumentError(f"ssd_loss: mining_type must be 'max_negative', got {mining_type!r}")
    layer = LayerName("ssd_loss")
    sizes = shape(confidence)
    matched, similarity = bipartite_match(iou_similarity(gt_box, prior_box), match_type, overlap_threshold)
    classes = stopped(reshape(gt_label, [0] * (len(gt_label.shape) - 1) + [-1, 1]))
    target, _ = target_assign(classes, matched, mismatch_value=background_label)
    scores = flatten(confidence, axis=2)
    target = stopped(flatten(cast(target, "int64"), axis=2))
    mining_loss = softmax_with_cross_entropy(scores, target)
    by_image = stopped(slice(sizes, axes=[0], starts=[0], ends=[2]))
    mining_loss = stopped(reshape(mining_loss, [-1, 0], actual_shape=by_image))
    negative, matched = mine_hard_examples(
        mining_loss, None, matched, similarity, name=layer, neg_pos_ratio=float(neg_pos_ratio),
        neg_dist_threshold=float(neg_overlap), mining_type=mining_type, sample_size=sample_size or 0,
    )  # fmt: skip
    coded = box_coder(prior_box, prior_box_var, gt_box, code_type="encode_center_size")
    offset_target, offset_weight = target_assign(coded, matched, mismatch_value=background_label)
    target, weight = target_assign(classes, matched, negative_indices=negative, mismatch_value=background_label)
    class_loss = softmax_with_cross_entropy(scores, stopped(cast(flatten(target, axis=2), "int64")))
    class_loss = class_loss * stopped(flatten(weight, axis=2))
    offsets = flatten(location, axis=2)
    offset_loss = smooth_l1(offsets, stopped(flatten(offset_target, axis=2)))
    offset_weight = stopped(flatten(offset_weight, axis=2))
    offset_loss = offset_loss * offset_weight
    loss = conf_loss_weight * class_loss + loc_loss_weight * offset_loss
    loss = reduce_sum(reshape(loss, [-1, 0], actual_shape=by_image), dim=1, keep_dim=True)
    return loss / reduce_sum(offset_weight) if normalize else loss


def detection_output(
    loc: BaseVariable,
    scores: BaseVariable,
    prior_box: BaseVariable,
    prior_box_var: BaseVariable | Sequence[float] | None,
    background_label: int = 0,
    nms_threshold: float = 0.3,
    nms_top_k: int = 400,
    keep_top_k: int = 200,
    score_threshold: float = 0.01,
    nms_eta: float = 1.0,
    return_index: bool = False,
) -> BaseVariable | tuple[BaseVariable, BaseVariable]:
    """The detections of a single-shot detector: decoded boxes after non-maximum suppression.

    Args:
        loc: float predicted offsets [N, P, 4] of the prior boxes.
        scores: float predicted logits [N, P, classes].
        prior_box: float [P, 4].
        prior_box_var: the variances of the prior boxes: a float variable [P, 4], a list of 4 numbers, or None.
        background_label: the class that is ignored; -1 for none.
        nms_threshold: the IoU above which the lower of two boxes is suppressed.
        nms_top_k: the number of boxes of a class before the suppression; -1 for all.
        keep_top_k: the number of boxes of an image after it; -1 for all.
        score_threshold: boxes with lower scores are ignored.
        nms_eta: below 1, the factor that a threshold above 0.5 shrinks by with every kept box.
        return_index: also return the indices of the boxes.

    Returns:
        A LoDTensor [detections, 6], a sequence per image: class, score and box; with return_index, (that, int
        [detections, 1]). No gradient flows through them.

    Example:
        >>> location, scores = fluid.data("location", [None, 10, 4]), fluid.data("scores", [None, 10, 3])
        >>> prior, variance = fluid.data("prior", [10, 4]), fluid.data("variance", [10, 4])
        >>> fluid.layers.detection_output(location, scores, prior, variance).shape
        (-1, 6)
    """
    boxes = box_coder(prior_box, prior_box_var, loc, code_type="decode_center_size")
    probabilities = stopped(transpose(softmax(scores), [0, 2, 1]))
    attrs: dict[str, Any] = {
        "background_label": background_label, "nms_threshold": float(nms_threshold), "nms_top_k": nms_top_k,
        "keep_top_k": keep_top_k, "score_threshold": float(score_threshold), "nms_eta": float(nms_eta),
    }  # fmt: skip
    layer = LayerName("detection_output")
    if return_index:
        detections, index = indexed_nms_op(boxes, probabilities, name=layer, **attrs)
        return stopped(detections), stopped(index)
    return stopped(nms_op(boxes, probabilities, name=layer, **attrs))
