"""locality_aware_nms: neighbouring boxes are merged by their scores before non-maximum suppression."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.detection.boxes import best, with_lod
from refluid.ops.detection.nms import check_boxes, no_detections
from refluid.ops.detection.suppression import choose, merge_neighbours
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", nograd="*", lod=None, tells_lod=True, dtypes={"BBoxes": FLOATS, "Scores": FLOATS})
def locality_aware_nms(
    BBoxes: Tensor,
    Scores: Tensor,
    *,
    background_label: int = -1,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float = 0.3,
    nms_eta: float = 1.0,
    keep_top_k: int,
    normalized: bool = True,
) -> Tensor:
    """Out [found, 2 + numbers of a box] is (class, score, box) of BBoxes [N, M, 4 or more] and Scores [N, 1, M].

    A box that overlaps the one before it by more than `nms_threshold` is merged into it, by scores, which add up (Zhou
    et al., 2017); then as multiclass_nms.
    """
    check_boxes(BBoxes, Scores)
    if Scores.dim() != 3 or Scores.shape[1] != 1:
        raise ShapeError(f"Scores must be [N, 1, M], of a single class, got shape {list(Scores.shape)}")
    detections = []
    for boxes, (score,) in zip(BBoxes, Scores):
        if background_label == 0:
            detections.append(boxes.new_empty(0, boxes.shape[1] + 2))
            continue
        boxes, score = merge_neighbours(boxes, score, nms_threshold, normalized)
        kept = choose(boxes, score, score_threshold, nms_top_k, normalized, nms_threshold, nms_eta)
        kept = kept[best(score[kept], keep_top_k)]
        detections.append(torch.cat([torch.zeros_like(score[kept])[:, None], score[kept][:, None], boxes[kept]], 1))
    lengths = [len(one) for one in detections]
    return with_lod(torch.cat(detections), lengths) if sum(lengths) else no_detections(BBoxes)


@locality_aware_nms.infer
def locality_aware_nms_shape(inputs: list, attrs: dict) -> list:
    return [Spec((-1, inputs[0].shape[-1] + 2), inputs[0].dtype, 0)]
