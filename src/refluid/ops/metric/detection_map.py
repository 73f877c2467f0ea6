"""detection_map: the mean over classes of the average precision of detections."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.detection.boxes import best, check_classes, images, overlaps, with_lod
from refluid.ops.infer import Spec
from refluid.ops.registry import INDICES, LoD, Tensor, op


@op("AccumPosCount AccumTruePos AccumFalsePos MAP", nograd="*", lod=None, tells_lod=True,
    naming="MAP AccumPosCount AccumTruePos", dtypes={"HasState": INDICES, "PosCount": INDICES})  # fmt: skip
def detection_map(
    DetectRes: Tensor,
    DetectRes_lod: LoD | None,
    Label: Tensor,
    Label_lod: LoD | None,
    HasState: Tensor | None = None,
    PosCount: Tensor | None = None,
    TruePos: Tensor | None = None,
    TruePos_lod: LoD | None = None,
    FalsePos: Tensor | None = None,
    FalsePos_lod: LoD | None = None,
    *,
    class_num: int,
    background_label: int = 0,
    overlap_threshold: float = 0.5,
    evaluate_difficult: bool = True,
    ap_type: str = "integral",
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """MAP [1] of DetectRes [M, 6] (class, score, box) against Label [N, 6] (class, difficult, box) or [N, 5].

    LoDs are by image. A detection is a true positive if it overlaps a box of its class, which no better one has
    matched, by more than the threshold. The counts of earlier batches go in where HasState [1] is not 0, and those of
    all come out: AccumPosCount [class_num, 1] boxes, AccumTruePos and AccumFalsePos [detections, 2] (score, 1 or
    0) by class.
    """
    if ap_type not in ("integral", "11point"):
        raise ArgumentError(f"ap_type must be integral or 11point, got {ap_type!r}")
    truth = images(Label_lod, len(Label), "Label")
    if tuple(DetectRes.shape) == (1, 1):  # the output of multiclass_nms without detections
        DetectRes, DetectRes_lod = DetectRes.new_empty(0, 6), LoD.from_lengths([[0] * len(truth)])
    if DetectRes.dim() != 2 or DetectRes.shape[1] != 6 or Label.dim() != 2 or Label.shape[1] not in (5, 6):
        raise ShapeError(
            "DetectRes must be [M, 6] (class, score, box) and Label [N, 6] (class, difficult, box) or [N, 5], got "
            f"shapes {list(DetectRes.shape)} and {list(Label.shape)}"
        )
    seen = torch.cat([DetectRes[:, 0].long(), Label[:, 0].long()])
    # Fluid: classes beyond class_num count for this MAP, but not for the accumulated state.
    classes = max(class_num, int(seen.max()) + 1) if len(seen) else class_num
    check_classes("the classes of DetectRes and Label", seen, classes)
    detected = images(DetectRes_lod, len(DetectRes), "DetectRes")
    if len(detected) != len(truth):
        raise ShapeError(f"DetectRes is of {len(detected)} images, but Label of {len(truth)}")
    counts, right, wrong = _earlier(classes, HasState, PosCount, (TruePos, TruePos_lod), (FalsePos, FalsePos_lod))
    for (a, b), (c, d) in zip(detected, truth):
        _count(DetectRes[a:b], Label[c:d], counts, right, wrong, overlap_threshold, evaluate_difficult)
    score = _mean_precision(counts, right, wrong, background_label, ap_type)
    positions = DetectRes.new_tensor(counts[:class_num], dtype=torch.int32)[:, None]
    right, wrong = right[:class_num], wrong[:class_num]
    return positions, _packed(right, DetectRes), _packed(wrong, DetectRes), DetectRes.new_tensor([score])


Pairs = list[list[tuple[float, int]]]  # of every class: (score, whether)


def _earlier(classes: int, has: Tensor | None, counts: Tensor | None, *states: tuple) -> tuple[list[int], Pairs, Pairs]:
    if has is None or not int(has.reshape(-1)[0]) or counts is None:
        return [0] * classes, [[] for _ in range(classes)], [[] for _ in range(classes)]
    by_kind = []
    for value, lod in states:
        rows = [(score, int(flag)) for score, flag in value.tolist()]
        of_class = [rows[start:end] for start, end in images(lod, len(rows), "TruePos and FalsePos")]
        by_kind.append([*of_class, *([] for _ in range(classes - len(of_class)))])
    known = counts.reshape(-1).tolist()
    return [*known, *[0] * (classes - len(known))], by_kind[0], by_kind[1]


def _count(
    detections: Tensor, truth: Tensor, counts: list[int], right: Pairs, wrong: Pairs, threshold: float, difficult: bool
) -> None:
    classes = truth[:, 0].long().tolist()
    hard = truth[:, 1].abs() > 1e-6 if truth.shape[1] == 6 else torch.zeros(len(truth), dtype=torch.bool)
    for label, is_hard in zip(classes, hard.tolist()):
        counts[label] += difficult or not is_hard
    for label in detections[:, 0].long().unique().tolist():
        these = detections[detections[:, 0].long() == label]
        these = these[best(these[:, 1], -1)]
        here = torch.nonzero(truth[:, 0].long() == label).squeeze(1)
        boxes = these[:, 2:].clamp(0, 1)
        pairs = overlaps(boxes, truth[here, -4:])
        visited: set[int] = set()
        for i, score in enumerate(these[:, 1].tolist()):
            hit = False
            if len(here):
                overlap, nearest = pairs[i].max(0)
                if float(overlap) > threshold:
                    if hard[here[nearest]] and not difficult:
                        continue  # neither a true nor a false positive
                    hit = int(nearest) not in visited
                    visited.add(int(nearest))
            right[label].append((score, int(hit)))
            wrong[label].append((score, int(not hit)))


def _mean_precision(counts: list[int], right: Pairs, wrong: Pairs, background: int, kind: str) -> float:
    total, number = 0.0, 0
    for label, positives in enumerate(counts):
        # Fluid compares the background class with the number of ground-truth boxes, not with the class.
        if not positives or positives == background:
            continue
        number += 1
        if not right[label]:
            continue
        hits, misses = (
            torch.tensor([flag for _, flag in sorted(pairs, key=lambda p: -p[0])], dtype=torch.float64).cumsum(0)
            for pairs in (right[label], wrong[label])
        )
        precision, recall = hits / (hits + misses), hits / positives
        if kind == "11point":
            total += sum(float(torch.where(recall >= k / 10, precision, 0).max()) for k in range(11)) / 11
        else:
            total += float((precision * torch.diff(recall, prepend=recall.new_zeros(1))).sum())
    return total / number if number else 0.0


def _packed(pairs: Pairs, like: Tensor) -> Tensor:
    rows = [pair for one in pairs for pair in one]
    return with_lod(like.new_tensor(rows).reshape(-1, 2), [len(one) for one in pairs])


@detection_map.infer
def detection_map_shape(inputs: list, attrs: dict) -> list:
    dtype = inputs[0].dtype
    pairs = Spec((-1, 2), dtype, 1)
    return [Spec((attrs["class_num"], 1), torch.int32, 0), pairs, pairs, Spec((1,), dtype, 0)]
