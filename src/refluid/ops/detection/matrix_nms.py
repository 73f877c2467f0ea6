"""matrix_nms: non-maximum suppression that decays scores by overlap, all boxes at once."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.native import call as native
from refluid.ops.detection.boxes import best, detections_with_lod, overlaps
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, Tensor, op


@op("Out Index", nograd="*", lod=None, tells_lod=True, dtypes={"BBoxes": FLOATS, "Scores": FLOATS})
def matrix_nms(
    BBoxes: Tensor,
    Scores: Tensor,
    *,
    background_label: int = 0,
    score_threshold: float,
    post_threshold: float = 0.0,
    nms_top_k: int,
    keep_top_k: int,
    normalized: bool = True,
    use_gaussian: bool = False,
    gaussian_sigma: float = 2.0,
) -> tuple[Tensor, Tensor]:
    """Out [found, 6] is (class, score, box) of BBoxes [N, M, 4] and Scores [N, classes, M], the best first.

    A score decays with the overlaps with better boxes of its class (Wang et al., 2020), and must then exceed
    `post_threshold`. Index [found, 1] counts boxes of all images. The LoD is by image.
    """
    count, boxes, _ = BBoxes.shape if BBoxes.dim() == 3 else (-1, -1, -1)
    if BBoxes.dim() != 3 or BBoxes.shape[2] != 4 or Scores.dim() != 3 or Scores.shape[::2] != (count, boxes):
        raise ShapeError(
            "BBoxes and Scores must be [N, M, 4] and [N, classes, M], got shapes "
            f"{list(BBoxes.shape)} and {list(Scores.shape)}"
        )
    detections, indices = [], []
    for i in range(count):
        rows, places = [BBoxes.new_empty(0, 6)], [torch.empty(0, dtype=torch.int64, device=BBoxes.device)]
        for label in range(Scores.shape[1]):
            if label == background_label:
                continue
            candidates = torch.nonzero(Scores[i, label] > score_threshold).squeeze(1)
            candidates = candidates[best(Scores[i, label][candidates], nms_top_k)]
            candidate_boxes, score = BBoxes[i][candidates], Scores[i, label][candidates]
            score = score * _decay(candidate_boxes, normalized, use_gaussian, gaussian_sigma)
            rows.append(torch.cat([torch.full_like(score, label)[:, None], score[:, None], candidate_boxes], 1))
            places.append(candidates + i * boxes)
        row, index = torch.cat(rows), torch.cat(places)
        left = torch.nonzero(row[:, 1] > post_threshold).squeeze(1)
        order = left[best(row[left, 1], keep_top_k)]
        detections.append(row[order])
        indices.append(index[order].int()[:, None])
    return detections_with_lod(detections), detections_with_lod(indices)


def _decay(boxes: Tensor, normalized: bool, gaussian: bool, sigma: float) -> Tensor:
    """The factor of each candidate's score, for boxes [n, 4] with the best first: [n]."""
    if not len(boxes):
        return boxes.new_ones(0)
    if native.takes(boxes):
        least = boxes.new_empty(len(boxes))
        native.call("decay_", boxes.contiguous(), len(boxes), normalized, gaussian, float(sigma), least)
        return least.exp() if gaussian else least
    pairs = overlaps(boxes, boxes, normalized)
    before = pairs.tril(-1)
    highest = before.amax(1)  # of every candidate with better ones
    left = ((highest**2 - before**2) * sigma).exp() if gaussian else (1 - before) / (1 - highest)
    better = torch.ones_like(pairs, dtype=torch.bool).tril(-1)
    return torch.where(better, left, 1).amin(1).clamp_max(1)


@matrix_nms.infer
def matrix_nms_shape(inputs: list, attrs: dict) -> list:
    return [Spec((-1, inputs[0].shape[-1] + 2), inputs[0].dtype, 1), Spec((-1, 1), torch.int32, 1)]
