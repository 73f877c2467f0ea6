"""The best of many boxes, without those that show the same again."""

from __future__ import annotations

from typing import Any

from refluid.core.naming import LayerName
from refluid.layers.common import as_list
from refluid.layers.numbers import stopped
from refluid.ops.detection.locality_aware_nms import locality_aware_nms as locality_op
from refluid.ops.detection.matrix_nms import matrix_nms as matrix_op
from refluid.ops.detection.nms import multiclass_nms as nms_op, multiclass_nms2 as indexed_nms_op
from refluid.ops.detection.retinanet_detection_output import retinanet_detection_output as retinanet_op


def multiclass_nms(
    bboxes: Any,
    scores: Any,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = 0,
    name: str | None = None,
) -> Any:
    """The boxes with the highest scores of every class that overlap no better one by much.

    Args:
        bboxes: [N, M, 4], or polygons of 8, 16, 24 or 32 numbers; or [M, classes, 4] with a LoD by image.
        scores: [N, classes, M]; or [M, classes].
        score_threshold: what a score must exceed.
        nms_top_k: how many of a class are looked at; -1: all.
        keep_top_k: how many of an image stay; -1: all.
        nms_threshold: what an overlap must not exceed.
        normalized: False if boxes count pixels.
        nms_eta: below 1, a threshold above 0.5 shrinks by it with every box that stays.
        background_label: the class that is left out; -1: none.
    Returns:
        [found, 6]: class, score and box, with a LoD by image. A single -1, [1, 1], if nothing is found at all.
    """
    return stopped(nms_op(
        bboxes, scores, name=LayerName("multiclass_nms", name), background_label=background_label,
        score_threshold=float(score_threshold), nms_top_k=nms_top_k, nms_threshold=float(nms_threshold),
        nms_eta=float(nms_eta), keep_top_k=keep_top_k, normalized=normalized,
    ))  # fmt: skip


def multiclass_nms2(
    bboxes: Any,
    scores: Any,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = 0,
    return_index: bool = False,
    name: str | None = None,
) -> Any:
    """As multiclass_nms; nothing found is no row at all.

    Args:
        return_index: also where each box stood among all of bboxes.
    Returns:
        [found, 6] with a LoD by image; with return_index (that, int [found, 1]).
    """
    found, index = indexed_nms_op(
        bboxes, scores, name=LayerName("multiclass_nms2", name), background_label=background_label,
        score_threshold=float(score_threshold), nms_top_k=nms_top_k, nms_threshold=float(nms_threshold),
        nms_eta=float(nms_eta), keep_top_k=keep_top_k, normalized=normalized,
    )  # fmt: skip
    return (stopped(found), stopped(index)) if return_index else stopped(found)


def matrix_nms(
    bboxes: Any,
    scores: Any,
    score_threshold: float,
    post_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    use_gaussian: bool = False,
    gaussian_sigma: float = 2.0,
    background_label: int = 0,
    normalized: bool = True,
    return_index: bool = False,
    name: str | None = None,
) -> Any:
    """The boxes whose scores, lessened by their overlaps with better ones, are the highest.

    Args:
        bboxes: [N, M, 4].
        scores: [N, classes, M].
        score_threshold, post_threshold: what a score must exceed before and after.
        nms_top_k, keep_top_k, background_label, normalized: as multiclass_nms has them.
        use_gaussian, gaussian_sigma: lessen by a Gaussian of the overlap, not in proportion.
        return_index: also where each box stood among all of bboxes.
    Returns:
        [found, 6]: class, score and box, with a LoD by image; with return_index (that, int [found, 1]).
    """
    found, index = matrix_op(
        bboxes, scores, name=LayerName("matrix_nms", name), background_label=background_label,
        score_threshold=float(score_threshold), post_threshold=float(post_threshold), nms_top_k=nms_top_k,
        keep_top_k=keep_top_k, normalized=normalized, use_gaussian=use_gaussian, gaussian_sigma=float(gaussian_sigma),
    )  # fmt: skip
    return (stopped(found), stopped(index)) if return_index else stopped(found)


def locality_aware_nms(
    bboxes: Any,
    scores: Any,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = -1,
    name: str | None = None,
) -> Any:
    """As multiclass_nms of one class, with neighbours that overlap merged first.

    Args:
        bboxes: [N, M, 4], or polygons of 8, 16, 24 or 32 numbers, in the order of their places.
        scores: [N, 1, M].
    Returns:
        [found, 2 + numbers of a box], with a LoD by image.
    """
    return stopped(locality_op(
        bboxes, scores, name=LayerName("locality_aware_nms", name), background_label=background_label,
        score_threshold=float(score_threshold), nms_top_k=nms_top_k, nms_threshold=float(nms_threshold),
        nms_eta=float(nms_eta), keep_top_k=keep_top_k, normalized=normalized,
    ))  # fmt: skip


def retinanet_detection_output(
    bboxes: Any,
    scores: Any,
    anchors: Any,
    im_info: Any,
    score_threshold: float = 0.05,
    nms_top_k: int = 1000,
    keep_top_k: int = 100,
    nms_threshold: float = 0.3,
    nms_eta: float = 1.0,
) -> Any:
    """What a RetinaNet has found.

    Args:
        bboxes: moves [N, M, 4] of every level.
        scores: [N, M, classes] of every level, after the sigmoid.
        anchors: [M, 4] of every level, in pixels.
        im_info: [N, 3]: height, width and scale of the images.
        score_threshold: what a score must exceed, but on the last level.
        nms_top_k: how many of a level are looked at.
        keep_top_k, nms_threshold, nms_eta: as multiclass_nms has them.
    Returns:
        [found, 6]: class (from 1), score and box in pixels before scaling, with a LoD by image.
    """
    return stopped(retinanet_op(
        as_list(bboxes), as_list(scores), as_list(anchors), im_info, name=LayerName("retinanet_detection_output"),
        score_threshold=float(score_threshold), nms_top_k=nms_top_k, nms_threshold=float(nms_threshold),
        nms_eta=float(nms_eta), keep_top_k=keep_top_k,
    ))  # fmt: skip
