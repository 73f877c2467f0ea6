"""Single-shot detectors: matching prior boxes with true ones, the loss, and what they have found."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.activation import softmax
from refluid.layers.detection.boxes import box_coder, iou_similarity
from refluid.layers.indexing import slice
from refluid.layers.loss import smooth_l1, softmax_with_cross_entropy
from refluid.layers.numbers import stopped
from refluid.layers.reduce import reduce_sum
from refluid.layers.shape import flatten, reshape, shape, transpose
from refluid.layers.tensor import cast
from refluid.ops.detection.bipartite_match import bipartite_match as bipartite_match_op
from refluid.ops.detection.mine_hard_examples import mine_hard_examples
from refluid.ops.detection.nms import multiclass_nms as nms_op, multiclass_nms2 as indexed_nms_op
from refluid.ops.detection.target_assign import target_assign as target_assign_op


def bipartite_match(
    dist_matrix: Any, match_type: str | None = None, dist_threshold: float | None = None, name: str | None = None
) -> Any:
    """Pair rows (true boxes) with columns (prior boxes), the most similar first.

    Args:
        dist_matrix: similarities [rows, columns]; a LoD tells images apart.
        match_type: "per_prediction" also gives every column left its most similar row; None or "bipartite" does not.
        dist_threshold: how similar that one must be; 0.5 if None.
    Returns:
        (the row of every column or -1, how similar it is), each [images, columns].
    """
    attrs: dict[str, Any] = {} if match_type is None else {"match_type": match_type}
    if dist_threshold is not None:
        attrs["dist_threshold"] = float(dist_threshold)
    return bipartite_match_op(dist_matrix, name=LayerName("bipartite_match", name), **attrs)


def target_assign(
    input: Any,
    matched_indices: Any,
    negative_indices: Any = None,
    mismatch_value: int | None = None,
    name: str | None = None,
) -> Any:
    """What each prior box is to learn: the row of the input that it is matched with.

    Args:
        input: [rows, P or 1, K] with a LoD by image.
        matched_indices: [images, P], -1 for what is not matched.
        negative_indices: [n, 1] with a LoD by image: prior boxes that learn `mismatch_value` with weight 1.
        mismatch_value: for what is not matched; 0 if None.
    Returns:
        (targets [images, P, K], weights [images, P, 1]).
    """
    attrs = {} if mismatch_value is None else {"mismatch_value": mismatch_value}
    return target_assign_op(input, matched_indices, negative_indices, name=LayerName("target_assign", name), **attrs)


def ssd_loss(
    location: Any,
    confidence: Any,
    gt_box: Any,
    gt_label: Any,
    prior_box: Any,
    prior_box_var: Any = None,
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
) -> Any:
    """The loss of a single-shot detector (Liu et al., 2016): where boxes are and what they show.

    Args:
        location: predicted moves [N, P, 4] of the prior boxes.
        confidence: predicted scores [N, P, classes], before softmax.
        gt_box, gt_label: true boxes [boxes, 4] and their classes [boxes, 1], with a LoD by image.
        prior_box, prior_box_var: [P, 4].
        background_label: the class of nothing.
        overlap_threshold: how much of a true box a prior box must overlap to be matched with it.
        neg_pos_ratio: how many prior boxes learn the background for one that learns a box.
        neg_overlap: those must be less similar to any box than this.
        loc_loss_weight, conf_loss_weight: of the two parts of the loss.
        match_type: "per_prediction" or "bipartite".
        mining_type: "max_negative"; there is no other yet, as in Fluid.
        normalize: divide by the number of matched prior boxes.
    Returns:
        The loss of every image [N, 1].
    """
    if mining_type != "max_negative":
        raise ArgumentError(f"ssd_loss: mining_type must be 'max_negative', got {mining_type!r}")
    layer = LayerName("ssd_loss")
    sizes = shape(confidence)
    matched, similar = bipartite_match(iou_similarity(gt_box, prior_box), match_type, overlap_threshold)
    classes = stopped(reshape(gt_label, [0] * (len(gt_label.shape) - 1) + [-1, 1]))
    target, _ = target_assign(classes, matched, mismatch_value=background_label)
    scores = flatten(confidence, axis=2)
    target = stopped(flatten(cast(target, "int64"), axis=2))
    first = softmax_with_cross_entropy(scores, target)
    by_image = stopped(slice(sizes, axes=[0], starts=[0], ends=[2]))
    first = stopped(reshape(first, [-1, 0], actual_shape=by_image))
    negative, matched = mine_hard_examples(
        first, None, matched, similar, name=layer, neg_pos_ratio=float(neg_pos_ratio),
        neg_dist_threshold=float(neg_overlap), mining_type=mining_type, sample_size=sample_size or 0,
    )  # fmt: skip
    coded = box_coder(prior_box, prior_box_var, gt_box, code_type="encode_center_size")
    place, place_weight = target_assign(coded, matched, mismatch_value=background_label)
    target, weight = target_assign(classes, matched, negative_indices=negative, mismatch_value=background_label)
    shows = softmax_with_cross_entropy(scores, stopped(cast(flatten(target, axis=2), "int64")))
    shows = shows * stopped(flatten(weight, axis=2))
    moved = flatten(location, axis=2)
    moves = smooth_l1(moved, stopped(flatten(place, axis=2)))
    place_weight = stopped(flatten(place_weight, axis=2))
    moves = moves * place_weight
    loss = conf_loss_weight * shows + loc_loss_weight * moves
    loss = reduce_sum(reshape(loss, [-1, 0], actual_shape=by_image), dim=1, keep_dim=True)
    return loss / reduce_sum(place_weight) if normalize else loss


def detection_output(
    loc: Any,
    scores: Any,
    prior_box: Any,
    prior_box_var: Any,
    background_label: int = 0,
    nms_threshold: float = 0.3,
    nms_top_k: int = 400,
    keep_top_k: int = 200,
    score_threshold: float = 0.01,
    nms_eta: float = 1.0,
    return_index: bool = False,
) -> Any:
    """What a single-shot detector has found: moves made into boxes, and the best of them.

    Args:
        loc: predicted moves [N, P, 4] of the prior boxes.
        scores: predicted scores [N, P, classes], before softmax.
        prior_box, prior_box_var: [P, 4].
        background_label, nms_threshold, nms_top_k, keep_top_k, score_threshold, nms_eta: as multiclass_nms has them.
        return_index: also where the boxes stood.
    Returns:
        [found, 6]: class, score and box, with a LoD by image; with return_index (that, int [found, 1]).
    """
    boxes = box_coder(prior_box, prior_box_var, loc, code_type="decode_center_size")
    ranked = stopped(transpose(softmax(scores), [0, 2, 1]))
    attrs: dict[str, Any] = {
        "background_label": background_label, "nms_threshold": float(nms_threshold), "nms_top_k": nms_top_k,
        "keep_top_k": keep_top_k, "score_threshold": float(score_threshold), "nms_eta": float(nms_eta),
    }  # fmt: skip
    layer = LayerName("detection_output")
    if return_index:
        found, index = indexed_nms_op(boxes, ranked, name=layer, **attrs)
        return stopped(found), stopped(index)
    return stopped(nms_op(boxes, ranked, name=layer, **attrs))
