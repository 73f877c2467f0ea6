"""Non-maximum suppression."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import as_list
from refluid.layers.mixed import stopped
from refluid.ops.detection.locality_aware_nms import locality_aware_nms as locality_op
from refluid.ops.detection.matrix_nms import matrix_nms as matrix_op
from refluid.ops.detection.nms import multiclass_nms as nms_op, multiclass_nms2 as indexed_nms_op
from refluid.ops.detection.retinanet_detection_output import retinanet_detection_output as retinanet_op


def multiclass_nms(
    bboxes: BaseVariable,
    scores: BaseVariable,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = 0,
    name: str | None = None,
) -> BaseVariable:
    """Non-maximum suppression per class.

    Args:
        bboxes: float boxes [N, M, 4], or polygons of 8, 16, 24 or 32 numbers; or a LoDTensor [M, classes, 4], a
            sequence per image.
        scores: float [N, classes, M]; or [M, classes].
        score_threshold: boxes with lower scores are ignored.
        nms_top_k: the number of boxes of a class before the suppression; -1 for all.
        keep_top_k: the number of boxes of an image after it; -1 for all.
        nms_threshold: the IoU above which the lower of two boxes is suppressed.
        normalized: False for boxes in pixels, whose width is right - left + 1.
        nms_eta: below 1, the factor that a threshold above 0.5 shrinks by with every kept box.
        background_label: the class that is ignored; -1 for none.

    Returns:
        A LoDTensor [detections, 6], a sequence per image: class, score and box; [[-1]] if there are none. No gradient
        flows through it.

    Example:
        >>> boxes, scores = fluid.data("boxes", [None, 81, 4]), fluid.data("scores", [None, 3, 81])
        >>> found = fluid.layers.multiclass_nms(boxes, scores, score_threshold=0.1, nms_top_k=20, keep_top_k=10)
        >>> found.shape
        (-1, 6)
    """
    return stopped(nms_op(
        bboxes, scores, name=LayerName("multiclass_nms", name), background_label=background_label,
        score_threshold=float(score_threshold), nms_top_k=nms_top_k, nms_threshold=float(nms_threshold),
        nms_eta=float(nms_eta), keep_top_k=keep_top_k, normalized=normalized,
    ))  # fmt: skip


def multiclass_nms2(
    bboxes: BaseVariable,
    scores: BaseVariable,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = 0,
    return_index: bool = False,
    name: str | None = None,
) -> BaseVariable | tuple[BaseVariable, BaseVariable]:
    """Non-maximum suppression per class, with the indices of the boxes; no detections are no rows.

    Args:
        bboxes: boxes [N, M, 4], or polygons of 8, 16, 24 or 32 numbers; or a LoDTensor [M, classes, 4], a sequence per
            image.
        scores: [N, classes, M]; or [M, classes].
        score_threshold: boxes with lower scores are ignored.
        nms_top_k: the number of boxes of a class before the suppression; -1 for all.
        keep_top_k: the number of boxes of an image after it; -1 for all.
        nms_threshold: the IoU above which the lower of two boxes is suppressed.
        normalized: False for boxes in pixels, whose width is right - left + 1.
        nms_eta: below 1, the factor that a threshold above 0.5 shrinks by with every kept box.
        background_label: the class that is ignored; -1 for none.
        return_index: also return the indices of the boxes.

    Returns:
        A LoDTensor [detections, 6], a sequence per image; with return_index, (that, int [detections, 1]).
    """
    detections, index = indexed_nms_op(
        bboxes, scores, name=LayerName("multiclass_nms2", name), background_label=background_label,
        score_threshold=float(score_threshold), nms_top_k=nms_top_k, nms_threshold=float(nms_threshold),
        nms_eta=float(nms_eta), keep_top_k=keep_top_k, normalized=normalized,
    )  # fmt: skip
    return (stopped(detections), stopped(index)) if return_index else stopped(detections)


def matrix_nms(
    bboxes: BaseVariable,
    scores: BaseVariable,
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
) -> BaseVariable | tuple[BaseVariable, ...]:
    """Matrix non-maximum suppression (Wang et al., 2020): scores decay with the IoU with better boxes.

    Args:
        bboxes: float boxes [N, M, 4].
        scores: float [N, classes, M].
        score_threshold: boxes with lower scores are ignored.
        post_threshold: the same after the decay.
        nms_top_k: the number of boxes of a class before the suppression; -1 for all.
        keep_top_k: the number of boxes of an image after it; -1 for all.
        use_gaussian: decay by a Gaussian of the IoU instead of linearly.
        gaussian_sigma: its sigma.
        background_label: the class that is ignored; -1 for none.
        normalized: False for boxes in pixels, whose width is right - left + 1.
        return_index: also return the indices of the boxes.

    Returns:
        A LoDTensor [detections, 6], a sequence per image: class, score and box; with return_index, (that, int
        [detections, 1]).
    """
    detections, index = matrix_op(
        bboxes, scores, name=LayerName("matrix_nms", name), background_label=background_label,
        score_threshold=float(score_threshold), post_threshold=float(post_threshold), nms_top_k=nms_top_k,
        keep_top_k=keep_top_k, normalized=normalized, use_gaussian=use_gaussian, gaussian_sigma=float(gaussian_sigma),
    )  # fmt: skip
    return (stopped(detections), stopped(index)) if return_index else stopped(detections)


def locality_aware_nms(
    bboxes: BaseVariable,
    scores: BaseVariable,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = -1,
    name: str | None = None,
) -> BaseVariable:
    """Locality-aware non-maximum suppression of one class (Zhou et al., 2017): overlapping neighbors are merged first.

    Args:
        bboxes: float boxes [N, M, 4], or polygons of 8, 16, 24 or 32 numbers, in the order of their positions.
        scores: float [N, 1, M].
        score_threshold: boxes with lower scores are ignored.
        nms_top_k: the number of boxes before the suppression; -1 for all.
        keep_top_k: the number of boxes of an image after it; -1 for all.
        nms_threshold: the IoU above which two neighbors are merged, and the lower of two boxes is suppressed.
        normalized: False for boxes in pixels, whose width is right - left + 1.
        nms_eta: below 1, the factor that a threshold above 0.5 shrinks by with every kept box.
        background_label: the class that is ignored; -1 for none.

    Returns:
        A LoDTensor [detections, 2 + numbers of a box], a sequence per image. No gradient flows through it.
    """
    return stopped(locality_op(
        bboxes, scores, name=LayerName("locality_aware_nms", name), background_label=background_label,
        score_threshold=float(score_threshold), nms_top_k=nms_top_k, nms_threshold=float(nms_threshold),
        nms_eta=float(nms_eta), keep_top_k=keep_top_k, normalized=normalized,
    ))  # fmt: skip


def retinanet_detection_output(
    bboxes: Sequence[BaseVariable],
    scores: Sequence[BaseVariable],
    anchors: Sequence[BaseVariable],
    im_info: BaseVariable,
    score_threshold: float = 0.05,
    nms_top_k: int = 1000,
    keep_top_k: int = 100,
    nms_threshold: float = 0.3,
    nms_eta: float = 1.0,
) -> BaseVariable:
    """The detections of a RetinaNet: decoded boxes of all levels after non-maximum suppression (Lin et al., 2017).

    Args:
        bboxes: for every level float offsets [N, M, 4].
        scores: for every level float [N, M, classes], after the sigmoid.
        anchors: for every level float [M, 4], in pixels.
        im_info: float [N, 3]: height, width and scale of the images.
        score_threshold: boxes with lower scores are ignored, but not on the last level.
        nms_top_k: the number of boxes of a level before the suppression.
        keep_top_k: the number of boxes of an image after it; -1 for all.
        nms_threshold: the IoU above which the lower of two boxes is suppressed.
        nms_eta: below 1, the factor that a threshold above 0.5 shrinks by with every kept box.

    Returns:
        A LoDTensor [detections, 6], a sequence per image: class from 1, score and box in pixels before scaling.
    """
    return stopped(retinanet_op(
        as_list(bboxes), as_list(scores), as_list(anchors), im_info, name=LayerName("retinanet_detection_output"),
        score_threshold=float(score_threshold), nms_top_k=nms_top_k, nms_threshold=float(nms_threshold),
        nms_eta=float(nms_eta), keep_top_k=keep_top_k,
    ))  # fmt: skip
