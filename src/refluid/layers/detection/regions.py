"""Pooling of regions of interest (RoI)."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.core.types import Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable
from refluid.layers.common import pair
from refluid.ops.detection.deformable_psroi_pooling import deformable_psroi_pooling
from refluid.ops.detection.prroi_pool import prroi_pool as prroi_pool_op
from refluid.ops.detection.psroi_pool import psroi_pool as psroi_pool_op
from refluid.ops.detection.roi_align import roi_align as roi_align_op
from refluid.ops.detection.roi_perspective_transform import roi_perspective_transform as perspective_op
from refluid.ops.detection.roi_pool import roi_pool as roi_pool_op


def roi_pool(
    input: BaseVariable,
    rois: BaseVariable,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
    rois_lod: BaseVariable | None = None,
) -> BaseVariable:
    """RoI max pooling (Girshick, 2015): the maxima over a grid of bins of each region.

    Args:
        input: the feature map, a float variable [N, C, H, W].
        rois: regions, a float LoDTensor [R, 4] (left, top, right, bottom), a sequence per image.
        pooled_height: the number of bins along the height.
        pooled_width: the number of bins along the width.
        spatial_scale: the factor from the coordinates of the regions to the feature map.
        rois_lod: int64 offsets [N + 1] of the images, instead of the LoD; None for the LoD.

    Returns:
        A variable [R, C, pooled_height, pooled_width].
    """
    return roi_pool_op(
        input, rois, rois_lod, name=LayerName("roi_pool"), pooled_height=pooled_height, pooled_width=pooled_width,
        spatial_scale=spatial_scale,
    )[0]  # fmt: skip


def roi_align(
    input: BaseVariable,
    rois: BaseVariable,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    name: str | None = None,
    rois_lod: BaseVariable | None = None,
) -> BaseVariable:
    """RoI align (He et al., 2017): the means of bilinearly interpolated points over a grid of bins of each region.

    Args:
        input: the feature map, a float variable [N, C, H, W].
        rois: regions, a float LoDTensor [R, 4] (left, top, right, bottom), a sequence per image.
        pooled_height: the number of bins along the height.
        pooled_width: the number of bins along the width.
        spatial_scale: the factor from the coordinates of the regions to the feature map.
        sampling_ratio: the number of points of a bin along each axis; -1 for one per cell that it covers.
        rois_lod: int64 offsets [N + 1] of the images, instead of the LoD; None for the LoD.

    Returns:
        A variable [R, C, pooled_height, pooled_width].

    Example:
        >>> feature = fluid.data("feature", [None, 8, 16, 16])
        >>> rois = fluid.data("rois", [None, 4], lod_level=1)
        >>> fluid.layers.roi_align(feature, rois, pooled_height=7, pooled_width=7, spatial_scale=0.5).shape
        (-1, 8, 7, 7)
    """
    return roi_align_op(
        input, rois, rois_lod, name=LayerName("roi_align", name), pooled_height=pooled_height,
        pooled_width=pooled_width, spatial_scale=spatial_scale, sampling_ratio=sampling_ratio,
    )  # fmt: skip


def psroi_pool(
    input: BaseVariable,
    rois: BaseVariable,
    output_channels: int,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    name: str | None = None,
) -> BaseVariable:
    """Position-sensitive RoI pooling (Dai et al., 2016): the means over a grid of bins, each of channels of its own.

    Args:
        input: the feature map, a float variable [N, output_channels * pooled_height * pooled_width, H, W].
        rois: regions, a float LoDTensor [R, 4] (left, top, right, bottom), a sequence per image.
        output_channels: the number of output channels.
        spatial_scale: the factor from the coordinates of the regions to the feature map.
        pooled_height: the number of bins along the height.
        pooled_width: the number of bins along the width.

    Returns:
        A variable [R, output_channels, pooled_height, pooled_width].
    """
    return psroi_pool_op(
        input, rois, name=LayerName("psroi_pool", name), output_channels=output_channels,
        spatial_scale=spatial_scale, pooled_height=pooled_height, pooled_width=pooled_width,
    )  # fmt: skip


def prroi_pool(
    input: BaseVariable,
    rois: BaseVariable,
    spatial_scale: float = 1.0,
    pooled_height: int = 1,
    pooled_width: int = 1,
    batch_roi_nums: BaseVariable | None = None,
    name: str | None = None,
) -> BaseVariable:
    """Precise RoI pooling (Jiang et al., 2018): the exact means of the interpolated map over a grid of bins.

    Args:
        input: the feature map, a float variable [N, C, H, W].
        rois: regions, a float LoDTensor [R, 4] (left, top, right, bottom), a sequence per image; they get gradients
            too.
        spatial_scale: the factor from the coordinates of the regions to the feature map.
        pooled_height: the number of bins along the height.
        pooled_width: the number of bins along the width.
        batch_roi_nums: int64 [N], the number of regions of every image, instead of the LoD; None for the LoD.

    Returns:
        A variable [R, C, pooled_height, pooled_width].

    Example:
        >>> feature = fluid.data("feature", [None, 8, 16, 16])
        >>> rois = fluid.data("rois", [None, 4], lod_level=1)
        >>> fluid.layers.prroi_pool(feature, rois, spatial_scale=0.5, pooled_height=7, pooled_width=7).shape
        (-1, 8, 7, 7)
    """
    return prroi_pool_op(
        input, rois, batch_roi_nums, name=LayerName("prroi_pool", name), pooled_height=pooled_height,
        pooled_width=pooled_width, spatial_scale=spatial_scale,
    )  # fmt: skip


def deformable_roi_pooling(
    input: BaseVariable,
    rois: BaseVariable,
    trans: BaseVariable,
    no_trans: bool = False,
    spatial_scale: float = 1.0,
    group_size: Ints = [1, 1],
    pooled_height: int = 1,
    pooled_width: int = 1,
    part_size: Ints | None = None,
    sample_per_part: int = 1,
    trans_std: float = 0.1,
    position_sensitive: bool = False,
    name: str | None = None,
) -> BaseVariable:
    """Deformable RoI pooling (Dai et al., 2017): the means of points of bins that are moved by offsets.

    Args:
        input: the feature map, a float variable [N, C, H, W].
        rois: regions, a float LoDTensor [R, 4] (left, top, right, bottom), a sequence per image.
        trans: float offsets [R, 2 * classes, *part_size], x and y in turn, relative to the sizes of the regions.
        no_trans: ignore the offsets.
        spatial_scale: the factor from the coordinates of the regions to the feature map.
        group_size: [height, width], the grid of channel groups.
        pooled_height: the number of bins along the height.
        pooled_width: the number of bins along the width.
        part_size: [height, width] of the offsets; None for that of the bins.
        sample_per_part: the number of points of a bin along each axis.
        trans_std: the factor of the offsets.
        position_sensitive: every bin has channels of its own.

    Returns:
        A variable [R, channels, pooled_height, pooled_width].
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
    input: BaseVariable,
    rois: BaseVariable,
    transformed_height: int,
    transformed_width: int,
    spatial_scale: float = 1.0,
    name: str | None = None,
) -> tuple[BaseVariable, BaseVariable, BaseVariable]:
    """Quadrilateral regions rectified by a perspective transform.

    Args:
        input: the feature map, a float variable [N, C, H, W].
        rois: regions, a float LoDTensor [R, 8], a sequence per image: (x, y) of the corners, clockwise from the upper
            left.
        transformed_height: the height of the result.
        transformed_width: the width of the result.
        spatial_scale: the factor from the coordinates of the regions to the feature map.

    Returns:
        (the regions [R, C, height, width], an int32 mask of valid pixels [R, 1, height, width], the transform matrices
        [R, 9]).
    """
    return perspective_op(
        input, rois, name=LayerName("roi_perspective_transform", name), transformed_height=transformed_height,
        transformed_width=transformed_width, spatial_scale=spatial_scale,
    )[:3]  # fmt: skip
