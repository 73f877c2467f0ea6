"""generate_proposal_labels: samples proposals and their targets for training a detector."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.detection.boxes import check_classes, overlaps, with_lod
from refluid.ops.detection.sampling import deltas, sample, split_by_image
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, INDICES, LoD, Tensor, op


@op("Rois LabelsInt32 BboxTargets BboxInsideWeights BboxOutsideWeights", nograd="*", lod=None, tells_lod=True,
    random="stream", dtypes={"RpnRois": FLOATS, "GtClasses": INDICES, "IsCrowd": INDICES})  # fmt: skip
def generate_proposal_labels(
    RpnRois: Tensor,
    RpnRois_lod: LoD | None,
    GtClasses: Tensor,
    GtClasses_lod: LoD | None,
    IsCrowd: Tensor,
    IsCrowd_lod: LoD | None,
    GtBoxes: Tensor,
    GtBoxes_lod: LoD | None,
    ImInfo: Tensor,
    *,
    batch_size_per_im: int,
    fg_fraction: float,
    fg_thresh: float,
    bg_thresh_hi: float,
    bg_thresh_lo: float,
    bbox_reg_weights: list[float],
    class_nums: int,
    use_random: bool = True,
    is_cascade_rcnn: bool = False,
    is_cls_agnostic: bool = False,
    rng: torch.Generator | None,
) -> tuple[Tensor, ...]:
    """Regions sampled for every image from proposals and ground-truth boxes, with a LoD by image.

    A region that overlaps a ground-truth box by `fg_thresh` gets its class as the label and, in the columns of the
    class of BboxTargets [n, 4 * class_nums], the deltas to it; one between the bg_threshs gets class 0. Weights are 1
    in those columns. A cascade takes all proposals without sampling; the ground-truth boxes come first among them, not
    scaled.
    """
    if len(bbox_reg_weights) != 4:
        raise ArgumentError(f"bbox_reg_weights must be 4 numbers, got {list(bbox_reg_weights)}")
    parts = split_by_image(
        len(ImInfo), RpnRois=(RpnRois, RpnRois_lod), GtClasses=(GtClasses, GtClasses_lod),
        IsCrowd=(IsCrowd, IsCrowd_lod), GtBoxes=(GtBoxes, GtBoxes_lod),
    )  # fmt: skip
    by_image = []
    for (rois, classes, crowd, truth), info in zip(zip(*parts), ImInfo):
        boxes = _cascaded(rois, len(truth), info[2]) if is_cascade_rcnn else torch.cat([truth, rois / info[2]])
        real, empty, which = _divide(boxes, truth, crowd, fg_thresh, bg_thresh_hi, bg_thresh_lo, is_cascade_rcnn)
        if not is_cascade_rcnn:
            draws = rng if use_random else None
            pick = sample(torch.arange(len(real), device=real.device), int(batch_size_per_im * fg_fraction), draws)
            real, which = real[pick], which[pick]
            empty = sample(empty, batch_size_per_im - len(real), draws)
        label = torch.cat([classes.reshape(-1)[which].long(), torch.zeros_like(empty)])
        target = deltas(boxes[real], truth[which], bbox_reg_weights)
        if not is_cls_agnostic:
            check_classes("GtClasses", label, class_nums)
        place = label[: len(real)].clamp_max(1) if is_cls_agnostic else label[: len(real)]
        wide, weight = (boxes.new_zeros(len(label), class_nums, 4) for _ in range(2))
        row = torch.arange(len(real), device=boxes.device)
        wide[row, place], weight[row, place] = target, 1.0
        by_image.append((boxes[torch.cat([real, empty])] * info[2], label.int()[:, None], wide.flatten(1),
                      weight.flatten(1)))  # fmt: skip
    lengths = [len(one[1]) for one in by_image]
    rois, label, target, weight = (with_lod(torch.cat(part), lengths) for part in zip(*by_image))
    return rois, label, target, weight, with_lod(weight.clone(), lengths)


def _cascaded(rois: Tensor, true_boxes: int, scale: Tensor) -> Tensor:
    """The proposals on the scale of the ground-truth boxes, which a cascade has put before them."""
    return torch.cat([rois[:true_boxes], rois[true_boxes:] / scale])


def _divide(
    boxes: Tensor, truth: Tensor, crowd: Tensor, high: float, below: float, least: float, cascade: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """(foreground boxes, background boxes, the ground-truth box of each foreground box)."""
    if len(truth):
        pairs = overlaps(boxes, truth, normalized=False)
        highest = pairs.amax(1)
        which = ((pairs - highest[:, None]).abs() < 1e-5).int().argmax(1)
        # Ground-truth boxes come first, and crowds are not used. Fluid: in a cascade that applies to the first
        # proposals.
        many = crowd.reshape(-1)[: len(boxes)] != 0
        highest[: len(many)][many] = -1.0
    else:
        highest, which = boxes.new_zeros(len(boxes)), torch.zeros(len(boxes), dtype=torch.int64, device=boxes.device)
    usable = torch.ones_like(highest, dtype=torch.bool)
    if cascade:  # regressed boxes may have negative sizes
        usable = (boxes[:, 2:] - boxes[:, :2] + 1 > 0).all(1)
    real = torch.nonzero((highest >= high) & usable).squeeze(1)
    empty = torch.nonzero((highest < high) & (highest >= least) & (highest < below) & usable).squeeze(1)
    return real, empty, which[real]


@generate_proposal_labels.infer
def generate_proposal_labels_shape(inputs: list, attrs: dict) -> list:
    dtype, width = inputs[0].dtype, 4 * attrs["class_nums"]
    wide = Spec((-1, width), dtype, 0)
    return [Spec((-1, 4), dtype, 0), Spec((-1, 1), torch.int32, 0), wide, wide, wide]
