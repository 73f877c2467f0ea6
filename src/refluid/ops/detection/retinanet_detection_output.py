"""retinanet_detection_output: RetinaNet's detections, from the predictions of all levels."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.detection.boxes import best, centered, detections_with_lod
from refluid.ops.detection.suppression import suppress
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out", nograd="*", lod=None, tells_lod=True, dtypes={"BBoxes": FLOATS, "Scores": FLOATS})
def retinanet_detection_output(
    BBoxes: list[Tensor],
    Scores: list[Tensor],
    Anchors: list[Tensor],
    ImInfo: Tensor,
    *,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float = 0.3,
    nms_eta: float = 1.0,
    keep_top_k: int,
) -> Tensor:
    """Out [found, 6] is (class from 1, score, box in pixels before scaling), image by image, with a LoD.

    Of every level: deltas BBoxes [N, M, 4] of Anchors [M, 4] and Scores [N, M, classes]. Its `nms_top_k` best above the
    threshold count (above 0 on the last level); then those of a class suppress one another over all levels.
    """
    if not len(BBoxes) == len(Scores) == len(Anchors):
        raise ShapeError(
            f"BBoxes, Scores and Anchors must have the same length, got {len(BBoxes)}, {len(Scores)} and {len(Anchors)}"
        )
    detections = []
    for i, info in enumerate(ImInfo):
        boxes, scores, labels = [], [], []
        for level, (delta, score, anchors) in enumerate(zip(BBoxes, Scores, Anchors)):
            classes = score.shape[2]
            flat = score[i].reshape(-1)
            threshold = score_threshold if level < len(BBoxes) - 1 else 0.0
            candidates = torch.nonzero(flat > threshold).squeeze(1)
            candidates = candidates[best(flat[candidates], nms_top_k)]
            rows = candidates // classes
            boxes.append(_decoded(anchors.reshape(-1, 4)[rows], delta[i][rows], info))
            scores.append(flat[candidates])
            labels.append(candidates % classes)
        detections.append(
            _suppressed(torch.cat(boxes), torch.cat(scores), torch.cat(labels), nms_threshold, nms_eta, keep_top_k)
        )
    return detections_with_lod(detections)


def _decoded(anchors: Tensor, delta: Tensor, info: Tensor) -> Tensor:
    center, size = centered(anchors, normalized=False)
    half = delta[:, 2:].exp() * size / 2
    center = delta[:, :2] * size + center
    boxes = torch.cat([center - half, center + half - 1], 1) / info[2]
    last = (info[:2] / info[2]).round().flip(0).repeat(2) - 1
    return torch.minimum(boxes, last).clamp_min(0)


def _suppressed(boxes: Tensor, scores: Tensor, labels: Tensor, threshold: float, eta: float, keep_top_k: int) -> Tensor:
    """Rows (class, score, box) that are left of one image, best first, at most `keep_top_k`."""
    rows = [boxes.new_empty(0, 6)]
    for label in labels.unique().tolist():
        of_class = torch.nonzero(labels == label).squeeze(1)
        of_class = of_class[best(scores[of_class], -1)]
        kept = of_class[suppress(boxes[of_class], False, threshold, eta)]
        rows.append(
            torch.cat([torch.full_like(scores[kept], label + 1)[:, None], scores[kept][:, None], boxes[kept]], 1)
        )
    detections = torch.cat(rows)
    return detections[best(detections[:, 1], keep_top_k)]


@retinanet_detection_output.infer
def retinanet_detection_output_shape(inputs: list, attrs: dict) -> list:
    return [Spec((-1, 6), inputs[0][0].dtype, 0)]
