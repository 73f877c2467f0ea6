"""rpn_target_assign, retinanet_target_assign: training targets of anchors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from refluid.native import call as native
from refluid.ops.detection.boxes import need_boxes, overlaps, with_lod
from refluid.ops.detection.sampling import deltas, sample, split_by_image
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
        truth = boxes[crowd.reshape(-1) == 0] * scale
        limits = (rpn_straddle_thresh, width, height) if rpn_straddle_thresh >= 0 else None
        labels = _label(Anchor, truth, limits, rpn_positive_overlap, rpn_negative_overlap)
        drawn = _sample(labels, rpn_batch_size_per_im, rpn_fg_fraction, rng if use_random else None)
        by_image.append(_targets(Anchor, truth, i, labels, drawn))
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
    by_image, counts = [], []
    parts = split_by_image(
        len(ImInfo), GtBoxes=(GtBoxes, GtBoxes_lod), GtLabels=(GtLabels, GtLabels_lod), IsCrowd=(IsCrowd, IsCrowd_lod)
    )
    for i, (boxes, classes, crowd) in enumerate(zip(*parts)):
        real = crowd.reshape(-1) == 0
        truth = boxes[real] * float(ImInfo[i, 2])
        labels = _label(Anchor, truth, None, positive_overlap, negative_overlap)
        drawn = _sample(labels)
        location, score, target, label, weight = _targets(Anchor, truth, i, labels, drawn)
        named = classes.reshape(-1)[real][labels.which[drawn.real]] if len(truth) else label[:0]
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


class _Labels(NamedTuple):
    """Of the anchors that take part, `inside`: the box that overlaps each most (nothing without boxes), and which of
    them are foreground and background."""

    inside: Tensor
    which: Tensor
    objects: Tensor
    empty: Tensor


class _Drawn(NamedTuple):
    """Anchors of the box loss (the first `taken` of them are padding), foreground and background anchors."""

    learn: Tensor
    real: Tensor
    empty: Tensor
    taken: int


def _label(
    anchors: Tensor, truth: Tensor, limits: tuple[float, float, float] | None, positive: float, negative: float
) -> _Labels:
    """The labels of anchors; `limits` are how far they may be out of the image, its width and its height."""
    if len(truth) and native.takes(anchors, truth) and anchors.dtype == truth.dtype:
        return _label_natively(anchors, truth, limits, positive, negative)
    inside = torch.arange(len(anchors), device=anchors.device)
    if limits is not None:
        further, width, height = limits
        within = (anchors[:, :2] >= -further).all(1)
        within &= (anchors[:, 2:] < anchors.new_tensor([width, height]) + further).all(1)
        inside = torch.nonzero(within).squeeze(1)
    if not len(truth):
        return _Labels(inside, inside[:0], inside[:0], torch.arange(len(inside), device=anchors.device))
    pairs = overlaps(anchors[inside], truth, normalized=False)
    if not len(inside):
        return _Labels(inside, inside, inside, inside)
    highest, which = pairs.max(1)
    nearest = ((pairs - pairs.amax(0)).abs() < _SAME).any(1)
    objects, empty = nearest | (highest >= positive), highest < negative
    return _Labels(inside, which, torch.nonzero(objects).squeeze(1), torch.nonzero(empty).squeeze(1))


def _label_natively(
    anchors: Tensor, truth: Tensor, limits: tuple[float, float, float] | None, positive: float, negative: float
) -> _Labels:
    count = len(anchors)
    inside, which, objects, empty = (torch.empty(count + 1, dtype=torch.int64) for _ in range(4))
    counts = torch.empty(3, dtype=torch.int64)
    further, width, height = (0.0, 0.0, 0.0) if limits is None else limits
    right, bottom = (anchors.new_tensor([width, height]) + further).tolist()
    native.call(
        "label_anchors_", anchors.contiguous(), count, limits is None, -float(further), right, bottom,
        truth.contiguous(), len(truth), float(positive), float(negative), _SAME, inside, which, objects, empty, counts,
    )  # fmt: skip
    kept, above, below = counts.tolist()
    return _Labels(inside[:kept], which[:kept], objects[:above], empty[:below])


def _sample(labels: _Labels, batch: int = -1, fraction: float = -1.0, rng: torch.Generator | None = None) -> _Drawn:
    objects, empty = labels.objects, labels.empty
    if not len(labels.which):
        return _Drawn(objects, objects, sample(empty, batch, rng) if batch > 0 else empty, 0)
    if batch > 0 and fraction > 0:
        objects = sample(objects, int(batch * fraction), rng)
        empty = sample(empty, batch - len(objects), rng)
    # Fluid: an anchor that is nearest to a box and yet background counts as background; the first object stands in
    # its place, with no weight.
    background = torch.zeros(len(labels.inside), dtype=torch.bool, device=objects.device)
    background[empty] = True
    both = background[objects]
    real = objects[~both].sort().values
    taken = len(objects) - len(real)
    empty = empty if rng is None else empty.sort().values
    return _Drawn(torch.cat([objects[:1].repeat(taken), real]), real, empty, taken)


def _targets(anchors: Tensor, truth: Tensor, image: int, labels: _Labels, drawn: _Drawn) -> tuple[Tensor, ...]:
    first, inside = image * len(anchors), labels.inside
    learn, real, empty, taken = drawn
    label = torch.cat([torch.ones_like(real), torch.zeros_like(empty)])
    target = deltas(anchors[inside[learn]], truth[labels.which[learn]]) if len(learn) else anchors.new_empty(0, 4)
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
