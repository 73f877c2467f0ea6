"""Regions of interest, pooled to one size."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.common import pair
from refluid.layers.numbers import need_variable
from refluid.ops.detection.deformable_psroi_pooling import deformable_psroi_pooling
from refluid.ops.detection.prroi_pool import prroi_pool as prroi_pool_op
from refluid.ops.detection.psroi_pool import psroi_pool as psroi_pool_op
from refluid.ops.detection.roi_align import roi_align as roi_align_op
from refluid.ops.detection.roi_perspective_transform import roi_perspective_transform as perspective_op
from refluid.ops.detection.roi_pool import roi_pool as roi_pool_op


def roi_pool(
    input: Any,
    rois: Any,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
    rois_lod: Any = None,
) -> Any:
    """The maxima of the parts of regions.

    Args:
        input: the maps [N, C, H, W].
        rois: regions [regions, 4] (left, top, right, bottom), with a LoD by image.
        pooled_height, pooled_width: how many parts a region has.
        spatial_scale: from the regions to the maps.
        rois_lod: offsets [N + 1] of the images in place of the LoD.
    Returns:
        [regions, C, pooled_height, pooled_width].
    """
    return roi_pool_op(
        input, rois, rois_lod, name=LayerName("roi_pool"), pooled_height=pooled_height, pooled_width=pooled_width,
        spatial_scale=spatial_scale,
    )[0]  # fmt: skip


def roi_align(
    input: Any,
    rois: Any,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    name: str | None = None,
    rois_lod: Any = None,
) -> Any:
    """The means of interpolated points of the parts of regions.

    Args:
        input, rois, pooled_height, pooled_width, spatial_scale, rois_lod: as roi_pool has them.
        sampling_ratio: how many points a part has along each side; -1: one for every place that it spans.
    Returns:
        [regions, C, pooled_height, pooled_width].
    """
    return roi_align_op(
        input, rois, rois_lod, name=LayerName("roi_align", name), pooled_height=pooled_height,
        pooled_width=pooled_width, spatial_scale=spatial_scale, sampling_ratio=sampling_ratio,
    )  # fmt: skip


def psroi_pool(
    input: Any,
    rois: Any,
    output_channels: int,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    name: str | None = None,
) -> Any:
    """The means of the parts of regions, every part from channels of its own.

    Args:
        input: the maps [N, output_channels * pooled_height * pooled_width, H, W].
        rois, spatial_scale, pooled_height, pooled_width: as roi_pool has them.
    Returns:
        [regions, output_channels, pooled_height, pooled_width].
    """
    return psroi_pool_op(
        input, rois, name=LayerName("psroi_pool", name), output_channels=output_channels,
        spatial_scale=spatial_scale, pooled_height=pooled_height, pooled_width=pooled_width,
    )  # fmt: skip


def prroi_pool(
    input: Any,
    rois: Any,
    spatial_scale: float = 1.0,
    pooled_height: int = 1,
    pooled_width: int = 1,
    batch_roi_nums: Any = None,
    name: str | None = None,
) -> Any:
    """The exact means of the parts of regions of the interpolated map; regions get gradients too.

    Args:
        input, rois, spatial_scale, pooled_height, pooled_width: as roi_pool has them.
        batch_roi_nums: int64 [N], how many regions every image has, in place of the LoD.
    Returns:
        [regions, C, pooled_height, pooled_width].
    """
    return prroi_pool_op(
        input, rois, batch_roi_nums, name=LayerName("prroi_pool", name), pooled_height=pooled_height,
        pooled_width=pooled_width, spatial_scale=spatial_scale,
    )  # fmt: skip


def deformable_roi_pooling(
    input: Any,
    rois: Any,
    trans: Any,
    no_trans: bool = False,
    spatial_scale: float = 1.0,
    group_size: Any = [1, 1],
    pooled_height: int = 1,
    pooled_width: int = 1,
    part_size: Any = None,
    sample_per_part: int = 1,
    trans_std: float = 0.1,
    position_sensitive: bool = False,
    name: str | None = None,
) -> Any:
    """The means of points of the parts of regions, which look where `trans` tells them.

    Args:
        input, rois, spatial_scale, pooled_height, pooled_width: as roi_pool has them.
        trans: offsets [regions, 2 * classes (x, y), *part_size], in sizes of the regions.
        no_trans: leave the parts where they are.
        group_size: [height, width], how many groups of channels there are for parts in different places.
        part_size: [height, width] of the offsets; as the parts if None.
        sample_per_part: how many points a part has along each side.
        trans_std: what offsets are multiplied by.
        position_sensitive: every part has channels of its own.
    Returns:
        [regions, channels, pooled_height, pooled_width].
    """
    need_variable("deformable_roi_pooling: input", input)
    channels = input.shape[1]
    if position_sensitive:
        if channels % (pooled_height * pooled_width):
            raise ArgumentError(
                f"deformable_roi_pooling: {channels} channels do not divide into {pooled_height} * {pooled_width} parts"
            )
        channels //= pooled_height * pooled_width
    return deformable_psroi_pooling(
        input, rois, trans, name=LayerName("deformable_psroi_pooling", name), no_trans=no_trans,
        spatial_scale=spatial_scale, output_dim=channels, group_size=pair(group_size),
        pooled_height=pooled_height, pooled_width=pooled_width,
        part_size=[pooled_height, pooled_width] if part_size is None else pair(part_size),
        sample_per_part=sample_per_part, trans_std=trans_std,
    )[1]  # fmt: skip


def roi_perspective_transform(
    input: Any,
    rois: Any,
    transformed_height: int,
    transformed_width: int,
    spatial_scale: float = 1.0,
    name: str | None = None,
) -> Any:
    """Quadrangles of maps, each straightened into a rectangle.

    Args:
        input: the maps [N, C, H, W].
        rois: [regions, 8], (x, y) of the corners clockwise from the upper left, with a LoD by image.
        transformed_height, transformed_width: of the rectangles.
        spatial_scale: from the regions to the maps.
    Returns:
        ([regions, C, height, width], a mask [regions, 1, height, width], the matrices [regions, 9]).
    """
    return perspective_op(
        input, rois, name=LayerName("roi_perspective_transform", name), transformed_height=transformed_height,
        transformed_width=transformed_width, spatial_scale=spatial_scale,
    )[:3]  # fmt: skip
