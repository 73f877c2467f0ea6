"""distribute_fpn_proposals, collect_fpn_proposals: regions by level of a feature pyramid, and collected."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.detection.boxes import area, best, images, need_boxes, with_lod
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, LoD, Tensor, op


@op("MultiFpnRois RestoreIndex", nograd="*", lod=None, tells_lod=True, duplicable="MultiFpnRois",
    dtypes={"FpnRois": FLOATS}, late="FpnRois")  # fmt: skip
def distribute_fpn_proposals(
    FpnRois: Tensor, FpnRois_lod: LoD | None, *, min_level: int, max_level: int, refer_level: int, refer_scale: int
) -> tuple[list[Tensor], Tensor]:
    """The regions [n, 4] of every level from min_level to max_level, by size (Lin et al., 2017).

    One of refer_scale**2 pixels goes to refer_level, twice as long sides to the next. Every level has a LoD by image.
    RestoreIndex [n, 1] is the index of each region of FpnRois in the concatenation of all levels.
    """
    need_boxes("FpnRois", FpnRois)
    spans = images(FpnRois_lod, len(FpnRois), "FpnRois")
    side = area(FpnRois, normalized=False).sqrt()
    level = (side / refer_scale + 1e-6).log2().add(refer_level).floor().clamp(min_level, max_level)
    order, levels = [], []
    for number in range(min_level, max_level + 1):
        here = torch.nonzero(level == number).squeeze(1)
        lengths = [int((level[start:end] == number).sum()) for start, end in spans]
        order.append(here)
        levels.append(with_lod(FpnRois[here], lengths))
    restore = torch.cat(order).argsort().int()[:, None]
    return levels, restore


@distribute_fpn_proposals.infer
def distribute_fpn_proposals_shape(inputs: list, attrs: dict) -> list:
    count = attrs["max_level"] - attrs["min_level"] + 1
    if count < 1:
        raise ArgumentError(f"max_level must not be below min_level, got {attrs['max_level']} and {attrs['min_level']}")
    return [[Spec((-1, 4), inputs[0].dtype, 1)] * count, Spec((-1, 1), torch.int32, 0)]


@op(
    "FpnRois",
    nograd="*",
    lod=None,
    tells_lod=True,
    dtypes={"MultiLevelRois": FLOATS, "MultiLevelScores": FLOATS},
    late="MultiLevelRois MultiLevelScores",
)
def collect_fpn_proposals(
    MultiLevelRois: list[Tensor],
    MultiLevelRois_lod: LoD | None,
    MultiLevelScores: list[Tensor],
    *,
    post_nms_topN: int,
) -> Tensor:
    """The `post_nms_topN` regions with the highest scores of all levels, image by image."""
    if len(MultiLevelRois) != len(MultiLevelScores):
        raise ShapeError(f"there are {len(MultiLevelRois)} MultiLevelRois, but {len(MultiLevelScores)} scores")
    lods: list = MultiLevelRois_lod if isinstance(MultiLevelRois_lod, list) else []
    rois, scores = torch.cat(MultiLevelRois), torch.cat([level_rois.reshape(-1) for level_rois in MultiLevelScores])
    image = []
    for level_rois, lod in zip(MultiLevelRois, lods or [None] * len(MultiLevelRois)):
        images(lod, len(level_rois), "every one of MultiLevelRois")
        image.append(lod.segment_ids(device=level_rois.device))
    chosen = best(scores, post_nms_topN)
    image_of_roi = torch.cat(image)[chosen]
    chosen = chosen[torch.sort(image_of_roi, stable=True).indices]
    return with_lod(rois[chosen], torch.bincount(image_of_roi, minlength=lods[0].count()).tolist())


@collect_fpn_proposals.infer
def collect_fpn_proposals_shape(inputs: list, attrs: dict) -> list:
    return [Spec((-1, 4), inputs[0][0].dtype, 1)]
