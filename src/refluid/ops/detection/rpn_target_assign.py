"""rpn_target_assign, retinanet_target_assign: which anchors are to find which objects."""

from __future__ import annotations

import torch

from refluid.ops.detection.boxes import need_boxes, overlaps, told
from refluid.ops.detection.sampling import chosen, deltas, same_images
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, INDICES, LoD, Tensor, op

_SAME = 1e-5  # Fluid: overlaps nearer than this are equal


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
    """Anchors [A, 4] that learn a box, and those that learn whether there is one, drawn for every image.

    Indices count anchors of all images one after the other. Objects are the nearest anchors of every box of GtBoxes
    (times the image's scale, crowds apart) and those that overlap one by at least `rpn_positive_overlap`; background is
    what overlaps none by `rpn_negative_overlap`. Anchors further than `rpn_straddle_thresh` out of the image are left
    out, unless it is negative. LocationIndex [F], TargetBBox [F, 4] and BBoxInsideWeight [F, 4] are of objects,
    ScoreIndex [F + B] and TargetLabel [F + B, 1] of both.
    """
    need_boxes("Anchor", Anchor)
    found: list[tuple[Tensor, ...]] = []
    parts = same_images(len(ImInfo), GtBoxes=(GtBoxes, GtBoxes_lod), IsCrowd=(IsCrowd, IsCrowd_lod))
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
        found.append(_located(Anchor, inside, truth, i, *drawn))
    return _together(found)


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
    """As rpn_target_assign, of all anchors, with nothing drawn; TargetLabel has the classes of GtLabels, 0 for none.

    ForegroundNumber [N, 1] is one more than the anchors with an object in every image.
    """
    need_boxes("Anchor", Anchor)
    everything = torch.arange(len(Anchor), device=Anchor.device)
    found, counts = [], []
    parts = same_images(
        len(ImInfo), GtBoxes=(GtBoxes, GtBoxes_lod), GtLabels=(GtLabels, GtLabels_lod), IsCrowd=(IsCrowd, IsCrowd_lod)
    )
    for i, (boxes, classes, crowd) in enumerate(zip(*parts)):
        real = crowd.reshape(-1) == 0
        truth = boxes[real] * float(ImInfo[i, 2])
        drawn = _assign(Anchor, truth, positive_overlap, negative_overlap)
        location, score, target, label, weight = _located(Anchor, everything, truth, i, *drawn)
        which = drawn[3]
        named = classes.reshape(-1)[real][which[drawn[1]]] if len(truth) else label[:0]
        found.append((location, score, target, torch.cat([named.to(label), label[len(named) :]]), weight))
        counts.append(len(location) + 1)
    number = torch.tensor(counts, dtype=torch.int32, device=Anchor.device)[:, None]
    return *_together(found), told(number, [1] * len(number))


def _together(found: list[tuple[Tensor, ...]]) -> tuple[Tensor, ...]:
    """The images one after the other, with a LoD that tells them apart."""
    location, score, target, label, weight = (
        told(torch.cat(part).int() if not part[0].is_floating_point() else torch.cat(part), [len(one) for one in part])
        for part in zip(*found)
    )
    return location, score, target, told(label[:, None], label.lod.lengths()[0]), weight


def _assign(
    anchors: Tensor,
    truth: Tensor,
    positive: float,
    negative: float,
    batch: int = -1,
    fraction: float = -1.0,
    rng: torch.Generator | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, int]:
    """(anchors to learn a box, anchors with an object, without one, the nearest box of every anchor, how many of the
    first are only there to fill up)."""
    if not len(truth):
        none = torch.empty(0, dtype=torch.int64, device=anchors.device)
        everything = torch.arange(len(anchors), device=anchors.device)
        return none, none, chosen(everything, batch, rng) if batch > 0 else everything, none, 0
    pairs = overlaps(anchors, truth, normalized=False)
    highest, which = pairs.max(1)
    nearest = ((pairs - pairs.amax(0)).abs() < _SAME).any(1)
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


def _located(
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
