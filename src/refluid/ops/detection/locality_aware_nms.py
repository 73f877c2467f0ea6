"""locality_aware_nms: neighbours that show the same are merged before the best are chosen."""

from __future__ import annotations

import numpy as np
import torch

from refluid.core.errors import ShapeError
from refluid.ops.detection.boxes import Measure, best, suppress, told
from refluid.ops.detection.nms import check_boxes, nothing, overlap_of
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
    measure = overlap_of(BBoxes.shape[2], normalized)
    found = []
    for boxes, (score,) in zip(BBoxes, Scores):
        if background_label == 0:
            found.append(boxes.new_empty(0, boxes.shape[1] + 2))
            continue
        boxes, score = _merged(boxes, score, nms_threshold, measure)
        candidates = torch.nonzero(score > score_threshold).squeeze(1)
        candidates = candidates[best(score[candidates], nms_top_k)]
        kept = candidates[suppress(boxes[candidates], measure, nms_threshold, nms_eta)]
        kept = kept[best(score[kept], keep_top_k)]
        found.append(torch.cat([torch.zeros_like(score[kept])[:, None], score[kept][:, None], boxes[kept]], 1))
    lengths = [len(one) for one in found]
    return told(torch.cat(found), lengths) if sum(lengths) else nothing(BBoxes)


def _merged(boxes: Tensor, scores: Tensor, threshold: float, measure: Measure) -> tuple[Tensor, Tensor]:
    merged: list[np.ndarray] = []
    weights: list[np.ndarray] = []
    for box, score in zip(boxes.cpu().numpy(), scores.cpu().numpy()):
        if merged and measure(box, merged[-1][:, None])[0] > threshold:
            total = score + weights[-1]
            merged[-1] = (box * score + merged[-1] * weights[-1]) / total
            weights[-1] = total
        else:
            merged.append(box)
            weights.append(score)
    if not merged:
        return boxes, scores
    return torch.from_numpy(np.stack(merged)).to(boxes), torch.from_numpy(np.stack(weights)).to(scores)


@locality_aware_nms.infer
def locality_aware_nms_shape(inputs: list, attrs: dict) -> list:
    return [Spec((-1, inputs[0].shape[-1] + 2), inputs[0].dtype, 0)]
