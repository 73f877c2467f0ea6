"""multiclass_nms, multiclass_nms2: non-maximum suppression by class."""

from __future__ import annotations

import torch

from refluid.core.errors import ShapeError
from refluid.ops.detection.boxes import best, detections_with_lod, images, with_lod
from refluid.ops.detection.suppression import choose
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, LoD, Tensor, op


def _keep(
    boxes: list[Tensor],
    scores: list[Tensor],
    in_order: bool,
    background_label: int,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float,
    nms_eta: float,
    keep_top_k: int,
    normalized: bool,
) -> list[tuple[int, Tensor]]:
    """[(class, indices of its boxes)] of one image; `boxes` and `scores` are one per class."""
    kept: list[tuple[int, Tensor]] = []
    for label, (these, score) in enumerate(zip(boxes, scores)):
        if label == background_label:
            continue
        chosen = choose(these, score, score_threshold, nms_top_k, normalized, nms_threshold, nms_eta)
        kept.append((label, chosen.sort().values if in_order else chosen))
    total = sum(len(chosen) for _, chosen in kept)
    if 0 <= keep_top_k < total:
        labels = torch.cat([torch.full_like(chosen, label) for label, chosen in kept])
        indices = torch.cat([chosen for _, chosen in kept])
        order = best(torch.cat([scores[label][chosen] for label, chosen in kept]), keep_top_k)
        labels, indices = labels[order], indices[order]
        kept = [(label, indices[labels == label]) for label, _ in kept]
        if in_order:
            kept = [(label, chosen.sort().values) for label, chosen in kept]
    return kept


def _nms(boxes: Tensor, boxes_lod: LoD | None, scores: Tensor, attrs: dict) -> tuple[list[Tensor], list[Tensor]]:
    """Per image the detections [found, (class, score, box)] and their indices into the boxes, int32 [found, 1]."""
    check_boxes(boxes, scores)
    detections, indices = [], []
    if scores.dim() == 3:
        spans = [(i * boxes.shape[1], (i + 1) * boxes.shape[1]) for i in range(len(scores))]
        flat, ranked = boxes.flatten(0, 1)[:, None], scores.transpose(1, 2).flatten(0, 1)
    else:
        spans, flat, ranked = images(boxes_lod, len(boxes), "BBoxes"), boxes, scores
    classes = ranked.shape[1]
    for start, end in spans:
        per_class = [flat[start:end, label if flat.shape[1] > 1 else 0] for label in range(classes)]
        per_score = [ranked[start:end, label] for label in range(classes)]
        kept = _keep(per_class, per_score, scores.dim() == 2, **attrs)
        rows = [
            torch.cat([torch.full((len(chosen), 1), float(label), dtype=boxes.dtype, device=boxes.device),
                       per_score[label][chosen][:, None], per_class[label][chosen]], 1)
            for label, chosen in kept
        ]  # fmt: skip
        empty = boxes.new_empty(0, boxes.shape[-1] + 2)
        detections.append(torch.cat([empty, *rows]))
        # Where boxes differ by class, they are counted row by row of BBoxes.
        places = [(chosen + start) * flat.shape[1] + (label if flat.shape[1] > 1 else 0) for label, chosen in kept]
        index = torch.cat([torch.empty(0, dtype=torch.int64, device=boxes.device), *places])
        indices.append(index[:, None].int())
    return detections, indices


def check_boxes(boxes: Tensor, scores: Tensor) -> None:
    if scores.dim() not in (2, 3) or boxes.dim() != 3:
        raise ShapeError(
            "BBoxes and Scores must be [N, M, 4] and [N, classes, M], or [M, classes, 4] and [M, classes], "
            f"got shapes {list(boxes.shape)} and {list(scores.shape)}"
        )
    if boxes.shape[2] not in (4, 8, 16, 24, 32):
        raise ShapeError(f"a box must have 4, 8, 16, 24 or 32 numbers, got BBoxes {list(boxes.shape)}")
    scored = scores.shape[2] if scores.dim() == 3 else scores.shape[1]
    if boxes.shape[1] != scored:
        raise ShapeError(f"BBoxes {list(boxes.shape)} and Scores {list(scores.shape)} do not count the same boxes")


def no_detections(like: Tensor) -> Tensor:
    """Fluid's output without detections in any image: a single -1, with the LoD of one image."""
    return with_lod(torch.full((1, 1), -1.0, dtype=like.dtype, device=like.device), [1])


@op("Out", nograd="*", tells_lod=True, lod=None, dtypes={"BBoxes": FLOATS, "Scores": FLOATS})
def multiclass_nms(
    BBoxes: Tensor,
    BBoxes_lod: LoD | None,
    Scores: Tensor,
    *,
    background_label: int = 0,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float = 0.3,
    nms_eta: float = 1.0,
    keep_top_k: int,
    normalized: bool = True,
) -> Tensor:
    """Out [found, 6] is (class, score, box), image by image; the LoD is by image."""
    detections, _ = _nms(BBoxes, BBoxes_lod, Scores, {
        "background_label": background_label, "score_threshold": score_threshold, "nms_top_k": nms_top_k,
        "nms_threshold": nms_threshold, "nms_eta": nms_eta, "keep_top_k": keep_top_k, "normalized": normalized,
    })  # fmt: skip
    lengths = [len(image) for image in detections]
    return with_lod(torch.cat(detections), lengths) if sum(lengths) else no_detections(BBoxes)


@op("Out Index", nograd="*", tells_lod=True, lod=None, intermediate="Index",
    dtypes={"BBoxes": FLOATS, "Scores": FLOATS})  # fmt: skip
def multiclass_nms2(
    BBoxes: Tensor,
    BBoxes_lod: LoD | None,
    Scores: Tensor,
    *,
    background_label: int = 0,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float = 0.3,
    nms_eta: float = 1.0,
    keep_top_k: int,
    normalized: bool = True,
) -> tuple[Tensor, Tensor]:
    """As multiclass_nms; Index [found, 1] is the row of BBoxes that each was. Without detections both are [0]."""
    detections, indices = _nms(BBoxes, BBoxes_lod, Scores, {
        "background_label": background_label, "score_threshold": score_threshold, "nms_top_k": nms_top_k,
        "nms_threshold": nms_threshold, "nms_eta": nms_eta, "keep_top_k": keep_top_k, "normalized": normalized,
    })  # fmt: skip
    return detections_with_lod(detections), detections_with_lod(indices)


@multiclass_nms.infer
def multiclass_nms_shape(inputs: list, attrs: dict) -> list:
    return [_detection_spec(inputs)]


@multiclass_nms2.infer
def multiclass_nms2_shape(inputs: list, attrs: dict) -> list:
    return [_detection_spec(inputs), Spec((-1, 1), torch.int32, 1)]


def _detection_spec(inputs: list) -> Spec:
    boxes, scores = (torch.empty([max(n, 0) for n in spec.shape], device="meta") for spec in inputs)
    check_boxes(boxes, scores)
    return Spec((-1, inputs[0].shape[2] + 2), inputs[0].dtype, 1)
