"""rpn_target_assign, retinanet_target_assign: training targets of anchors."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from refluid.native import call as native
from refluid.ops.detection.boxes import need_boxes, overlaps, with_lod
from refluid.ops.detection.sampling import chosen, deltas, split_by_image
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, INDICES, LoD, Tensor, op

_SAME = 1e-5  # Fluid: overlaps that differ by less are equal


@op("LocationIndex ScoreIndex TargetBBox TargetLabel BBoxInsideWeight", nograd="*", lod=None, tells_lod=True,
    random="stream", naming="LocationIndex ScoreIndex TargetLabel TargetBBox",
    dtypes={"Anchor": FLOATS, "IsCrowd": INDICES})  # fmt: skip
def rpn_target_assign(
    Anchor: Tensor,
    GtBoxes: Tensor,
    GtBoxes_lod: LoD | None,
    IsCrowd: Tensor,
    IsCrowd_lod: LoD | None,
    ImInfo: Tensor,
    *,
    rpn_batch_size_per_im: int = 256,
    rpn_straddle_thresh: float = 0.0,
    rpn_positive_overlap: float = 0.7,
    rpn_negative_overlap: float = 0.3,
    rpn_fg_fraction: float = 0.25,
    use_random: bool = True,
    rng: torch.Generator | None,
) -> tuple[Tensor, ...]:
    """Anchors [A, 4] sampled for the box loss and for the score loss of every image.

    Indices number the anchors of all images one after the other. Objects are the nearest anchors of every box of
    GtBoxes (times the image's scale, crowds apart) and those that overlap one by at least `rpn_positive_overlap`;
    background is what overlaps none by `rpn_negative_overlap`. Anchors further than `rpn_straddle_thresh` out of the
    image are left out, unless it is negative. LocationIndex [F], TargetBBox [F, 4] and BBoxInsideWeight [F, 4] are of
    objects, ScoreIndex [F + B] and TargetLabel [F + B, 1] of both.
    """
    need_boxes("Anchor", Anchor)
    by_image: list[tuple[Tensor, ...]] = []
    parts = split_by_image(len(ImInfo), GtBoxes=(GtBoxes, GtBoxes_lod), IsCrowd=(IsCrowd, IsCrowd_lod))
    for i, (boxes, crowd) in enumerate(zip(*parts)):
        height, width, scale = ImInfo[i].tolist()
        inside = torch.arange(len(Anchor), device=Anchor.device)
        if rpn_straddle_thresh >= 0:
            within = (Anchor[:, :2] >= -rpn_straddle_thresh).all(1)
            within &= (Anchor[:, 2:] < Anchor.new_tensor([width, height]) + rpn_straddle_thresh).all(1)
            inside = torch.nonzero(within).squeeze(1)
        truth = boxes[crowd.reshape(-1) == 0] * scale
        drawn = _assign(
            Anchor[inside], truth, rpn_positive_overlap, rpn_negative_overlap, rpn_batch_size_per_im, rpn_fg_fraction,
            rng if use_random else None,
        )  # fmt: skip
        by_image.append(_targets(Anchor, inside, truth, i, *drawn))
    return _join_images(by_image)


@op("LocationIndex ScoreIndex TargetBBox TargetLabel BBoxInsideWeight ForegroundNumber", nograd="*", lod=None,
    tells_lod=True, naming="LocationIndex ScoreIndex TargetLabel TargetBBox",
    dtypes={"Anchor": FLOATS, "GtLabels": INDICES, "IsCrowd": INDICES})  # fmt: skip
def retinanet_target_assign(
    Anchor: Tensor,
    GtBoxes: Tensor,
    GtBoxes_lod: LoD | None,
    GtLabels: Tensor,
    GtLabels_lod: LoD | None,
    IsCrowd: Tensor,
    IsCrowd_lod: LoD | None,
    ImInfo: Tensor,
    *,
    positive_overlap: float = 0.5,
    negative_overlap: float = 0.4,
) -> tuple[Tensor, ...]:
    """As rpn_target_assign, of all anchors, without sampling; TargetLabel has the classes of GtLabels, 0 for none.

    ForegroundNumber [N, 1] is the number of foreground anchors in every image, plus one.
    """
    need_boxes("Anchor", Anchor)
    everything = torch.arange(len(Anchor), device=Anchor.device)
    by_image, counts = [], []
    parts = split_by_image(
        len(ImInfo), GtBoxes=(GtBoxes, GtBoxes_lod), GtLabels=(GtLabels, GtLabels_lod), IsCrowd=(IsCrowd, IsCrowd_lod)
    )
    for i, (boxes, classes, crowd) in enumerate(zip(*parts)):
        real = crowd.reshape(-1) == 0
        truth = boxes[real] * float(ImInfo[i, 2])
        drawn = _assign(Anchor, truth, positive_overlap, negative_overlap)
        location, score, target, label, weight = _targets(Anchor, everything, truth, i, *drawn)
        which = drawn[3]
        named = classes.reshape(-1)[real][which[drawn[1]]] if len(truth) else label[:0]
        by_image.append((location, score, target, torch.cat([named.to(label), label[len(named) :]]), weight))
        counts.append(len(location) + 1)
    number = torch.tensor(counts, dtype=torch.int32, device=Anchor.device)[:, None]
    return *_join_images(by_image), with_lod(number, [1] * len(number))


def _join_images(by_image: Sequence[tuple[Tensor, ...]]) -> tuple[Tensor, ...]:
    """The targets of all images concatenated, with a LoD by image."""
    location, score, target, label, weight = (
        with_lod(joined if joined.is_floating_point() else joined.int(), [len(image) for image in images])
        for images, joined in ((images, torch.cat(images)) for images in zip(*by_image))
    )
    return location, score, target, with_lod(label[:, None], [len(image[3]) for image in by_image]), weight


def _assign(
    anchors: Tensor,
    truth: Tensor,
    positive: float,
    negative: float,
    batch: int = -1,
    fraction: float = -1.0,
    rng: torch.Generator | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, int]:
    """(anchors of the box loss, foreground anchors, background anchors, the nearest box of every anchor, how many of
    the first are padding)."""
    if not len(truth):
        none = torch.empty(0, dtype=torch.int64, device=anchors.device)
        everything = torch.arange(len(anchors), device=anchors.device)
        return none, none, chosen(everything, batch, rng) if batch > 0 else everything, none, 0
    highest, which, nearest = _nearest(anchors, truth)
    objects = torch.nonzero(nearest | (highest >= positive)).squeeze(1)
    empty = torch.nonzero(highest < negative).squeeze(1)
    if batch > 0 and fraction > 0:
        objects = chosen(objects, int(batch * fraction), rng)
        empty = chosen(empty, batch - len(objects), rng)
    label = torch.full((len(anchors),), -1, device=anchors.device)
    label[objects] = 1
    # Fluid: an anchor that is nearest to a box and yet background counts as background; the first object stands in
    # its place, with no weight.
    taken = int((label[empty] == 1).sum())
    label[empty] = 0
    real = torch.nonzero(label == 1).squeeze(1)
    return torch.cat([objects[:1].repeat(taken), real]), real, torch.nonzero(label == 0).squeeze(1), which, taken


def _nearest(anchors: Tensor, truth: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The greatest overlap of every anchor, the box it is with, and whether no anchor is nearer to some box."""
    if native.takes(anchors, truth) and anchors.dtype == truth.dtype:
        highest = anchors.new_zeros(len(anchors))
        which = torch.zeros(len(anchors), dtype=torch.int64)
        nearest = torch.zeros(len(anchors), dtype=torch.bool)
        native.call(
            "nearest_boxes_", anchors.contiguous(), len(anchors), truth.contiguous(), len(truth), False, _SAME, highest,
            which, nearest,
        )  # fmt: skip
        return highest, which, nearest
    pairs = overlaps(anchors, truth, normalized=False)
    highest, which = pairs.max(1)
    return highest, which, ((pairs - pairs.amax(0)).abs() < _SAME).any(1)


def _targets(
    anchors: Tensor, inside: Tensor, truth: Tensor, image: int, learn: Tensor, real: Tensor, empty: Tensor,
    which: Tensor, taken: int,
) -> tuple[Tensor, ...]:  # fmt: skip
    first = image * len(anchors)
    label = torch.cat([torch.ones_like(real), torch.zeros_like(empty)])
    target = deltas(anchors[inside[learn]], truth[which[learn]]) if len(learn) else anchors.new_empty(0, 4)
    weight = anchors.new_ones(len(learn), 4)
    weight[:taken] = 0
    return inside[learn] + first, torch.cat([inside[real], inside[empty]]) + first, target, label, weight


@rpn_target_assign.infer
def rpn_target_assign_shape(inputs: list, attrs: dict) -> list:
    dtype = inputs[0].dtype
    index = Spec((-1,), torch.int32, 0)
    return [index, index, Spec((-1, 4), dtype, 0), Spec((-1, 1), torch.int32, 0), Spec((-1, 4), dtype, 0)]


@retinanet_target_assign.infer
def retinanet_target_assign_shape(inputs: list, attrs: dict) -> list:
    return [*rpn_target_assign_shape(inputs, attrs), Spec((-1, 1), torch.int32, 0)]
