"""generate_proposals: the regions that a region proposal network proposes."""

from __future__ import annotations

import math

import torch

from refluid.core.errors import ShapeError
from refluid.ops.detection.boxes import best, centered, with_lod
from refluid.ops.detection.suppression import suppress
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, Tensor, op

MOST = math.log(1000.0 / 16.0)  # Fluid: no side grows by more than exp of this


@op("RpnRois RpnRoiProbs RpnRoisLod", nograd="*", lod=None, tells_lod=True, dispensable="RpnRoisLod",
    dtypes={"Scores": FLOATS, "BboxDeltas": FLOATS})  # fmt: skip
def generate_proposals(
    Scores: Tensor,
    BboxDeltas: Tensor,
    ImInfo: Tensor,
    Anchors: Tensor,
    Variances: Tensor,
    *,
    pre_nms_topN: int,
    post_nms_topN: int,
    nms_thresh: float,
    min_size: float,
    eta: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """RpnRois [found, 4] in pixels and RpnRoiProbs [found, 1], with a LoD by image (Ren et al., 2015).

    Scores [N, A, H, W] and BboxDeltas [N, 4 * A, H, W] belong to Anchors and Variances [H, W, A, 4]; ImInfo [N, 3] is
    (height, width, scale). The `pre_nms_topN` best are decoded, clipped to the image, dropped below `min_size`, and
    suppressed by `nms_thresh`; `post_nms_topN` stay. RpnRoisLod [N] are the ends of the images' rows.
    """
    _check(Scores, BboxDeltas, ImInfo)
    count = len(Scores)
    scores = Scores.permute(0, 2, 3, 1).reshape(count, -1)
    deltas = BboxDeltas.permute(0, 2, 3, 1).reshape(count, -1, 4)
    anchors, variances = Anchors.reshape(-1, 4), Variances.reshape(-1, 4)
    rois, probs = [], []
    for score, delta, info in zip(scores, deltas, ImInfo):
        order = best(score, pre_nms_topN if pre_nms_topN > 0 else -1)
        boxes = clipped(decoded(anchors[order], delta[order] * variances[order]), info)
        large = _large(boxes, info, max(min_size, 1.0))
        boxes, score = boxes[large], score[order][large]
        if nms_thresh > 0 and len(boxes):
            most = post_nms_topN if post_nms_topN > 0 else -1
            kept = suppress(boxes, False, nms_thresh, eta, most)
            boxes, score = boxes[kept], score[kept]
        rois.append(boxes)
        probs.append(score[:, None])
    lengths = [len(one) for one in rois]
    ends = torch.tensor(lengths, device=Scores.device).cumsum(0)
    return with_lod(torch.cat(rois), lengths), with_lod(torch.cat(probs), lengths), ends


def decoded(anchors: Tensor, deltas: Tensor) -> Tensor:
    """Anchors decoded by deltas (x, y, width, height), in pixels."""
    center, size = centered(anchors, normalized=False)
    half = deltas[:, 2:].clamp_max(MOST).exp() * size / 2
    decoded_center = deltas[:, :2] * size + center
    return torch.cat([decoded_center - half, decoded_center + half - 1], 1)


def clipped(boxes: Tensor, info: Tensor) -> Tensor:
    """Within an image of (height, width, ..)."""
    last = info[:2].flip(0).repeat(2).to(boxes.dtype) - 1
    return torch.minimum(boxes, last).clamp_min(0)


def _large(boxes: Tensor, info: Tensor, least: float) -> Tensor:
    """Those whose sides, before the image was scaled, are long enough, and whose center is in the image."""
    size = boxes[:, 2:] - boxes[:, :2]
    center = boxes[:, :2] + (size + 1) / 2
    enough = (size / info[2] + 1 >= least) & (center <= info[:2].flip(0))
    return torch.nonzero(enough.all(1)).squeeze(1)


def _check(scores: Tensor, deltas: Tensor, info: Tensor) -> None:
    count, anchors, rows, columns = scores.shape if scores.dim() == 4 else (0, 0, 0, 0)
    if scores.dim() != 4 or deltas.shape != (count, anchors * 4, rows, columns):
        raise ShapeError(
            "Scores and BboxDeltas must be [N, A, H, W] and [N, 4 * A, H, W], got shapes "
            f"{list(scores.shape)} and {list(deltas.shape)}"
        )
    if info.shape != (count, 3):
        raise ShapeError(f"ImInfo must be [{count}, 3] (height, width, scale), got shape {list(info.shape)}")


@generate_proposals.infer
def generate_proposals_shape(inputs: list, attrs: dict) -> list:
    scores: Spec = inputs[0]
    return [Spec((-1, 4), scores.dtype, 0), Spec((-1, 1), scores.dtype, 0), Spec(scores.shape[:1], torch.int64, 0)]
