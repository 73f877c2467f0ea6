"""Pooling of images and volumes."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.core.types import Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import Padding, pair
from refluid.layers.conv import channel_axis_of, split_padding
from refluid.ops import registry


def pool2d(
    input: BaseVariable,
    pool_size: Ints = -1,
    pool_type: str = "max",
    pool_stride: Ints = 1,
    pool_padding: Padding = 0,
    global_pooling: bool = False,
    use_cudnn: bool = True,
    ceil_mode: bool = False,
    name: str | None = None,
    exclusive: bool = True,
    data_format: str = "NCHW",
) -> BaseVariable:
    """2-D max or average pooling of images.

    Args:
        input: a float variable [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        pool_size: the size of the window, an int or [height, width]; -1 with global_pooling.
        pool_type: "max" or "avg".
        pool_stride: the step of the window, an int or [height, width].
        pool_padding: the padding: an int, [height, width], [top, bottom, left, right], a pair per axis, "SAME" or
            "VALID".
        global_pooling: one window over the whole image; size, stride and padding are ignored.
        use_cudnn: kept as an attribute of the operator; no effect.
        ceil_mode: round the size of the result up, so that a partial window at the end counts.
        exclusive: averages do not count the padding.
        data_format: "NCHW" or "NHWC".

    Returns:
        A variable [N, C, H', W'] (channels last with "NHWC"), where H' = (H + 2 * padding - height) // stride + 1, and
        W' likewise; 1 with global_pooling.

    Example:
        >>> image = fluid.data("image", [None, 3, 32, 32])
        >>> fluid.layers.pool2d(image, pool_size=2, pool_type="max", pool_stride=2).shape
        (-1, 3, 16, 16)
    """
    return _pool(2, input, pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn, ceil_mode, name,
                 exclusive, data_format)  # fmt: skip


def pool3d(
    input: BaseVariable,
    pool_size: Ints = -1,
    pool_type: str = "max",
    pool_stride: Ints = 1,
    pool_padding: Padding = 0,
    global_pooling: bool = False,
    use_cudnn: bool = True,
    ceil_mode: bool = False,
    name: str | None = None,
    exclusive: bool = True,
    data_format: str = "NCDHW",
) -> BaseVariable:
    """3-D max or average pooling of volumes.

    Args:
        input: a float variable [N, C, D, H, W], or [N, D, H, W, C] with data_format="NDHWC".
        pool_size: the size of the window, an int or [depth, height, width]; -1 with global_pooling.
        pool_type: "max" or "avg".
        pool_stride: the step of the window, an int or one per axis.
        pool_padding: the padding: an int, one per axis, one per side of every axis, a pair per axis, "SAME" or "VALID".
        global_pooling: one window over the whole volume; size, stride and padding are ignored.
        use_cudnn: kept as an attribute of the operator; no effect.
        ceil_mode: round the size of the result up, so that a partial window at the end counts.
        exclusive: averages do not count the padding.
        data_format: "NCDHW" or "NDHWC".

    Returns:
        A variable [N, C, D', H', W'] (channels last with "NDHWC"); the sizes as pool2d has them.

    Example:
        >>> volume = fluid.data("volume", [None, 3, 8, 16, 16])
        >>> fluid.layers.pool3d(volume, pool_size=2, pool_type="avg", pool_stride=2).shape
        (-1, 3, 4, 8, 8)
    """
    return _pool(3, input, pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn, ceil_mode, name,
                 exclusive, data_format)  # fmt: skip


def _pool(rank: int, input: BaseVariable, size: Ints, kind: str, stride: Ints, padding: Padding, global_pooling: bool,
use_cudnn: bool,
          ceil_mode: bool, name: str | None, exclusive: bool, data_format: str) -> BaseVariable:  # fmt: skip
    op_type = f"pool{rank}d"
    if kind not in ("max", "avg"):
        raise ArgumentError(f"{op_type}: pool_type must be 'max' or 'avg', got {kind!r}")
    if not global_pooling and size == -1:
        raise ArgumentError(f"{op_type}: pool_size must be given unless global_pooling=True")
    channel_axis_of(op_type, data_format, rank)
    paddings, algorithm = split_padding(op_type, padding, rank, data_format)
    out, _ = registry.get(op_type)(
        input, name=LayerName(op_type, name), pooling_type=kind, ksize=pair(size, rank), global_pooling=global_pooling,
        strides=pair(stride, rank), paddings=paddings, padding_algorithm=algorithm, use_cudnn=use_cudnn,
        ceil_mode=ceil_mode, use_mkldnn=False, exclusive=exclusive, data_format=data_format,
    )  # fmt: skip
    return out


def adaptive_pool2d(
    input: BaseVariable, pool_size: Ints, pool_type: str = "max", require_index: bool = False, name: str | None = None
) -> BaseVariable | tuple[BaseVariable, BaseVariable]:
    """2-D max or average pooling with windows that divide images into pool_size parts.

    Args:
        input: a float variable [N, C, H, W].
        pool_size: the size of the result, an int or [height, width].
        pool_type: "max" or "avg".
        require_index: also return the argmax indices; for "max" only.

    Returns:
        A variable [N, C, height, width]; with require_index, (that, its int32 indices into the flattened image).
    """
    return _adaptive(2, input, pool_size, pool_type, require_index, name)


def adaptive_pool3d(
    input: BaseVariable, pool_size: Ints, pool_type: str = "max", require_index: bool = False, name: str | None = None
) -> BaseVariable | tuple[BaseVariable, BaseVariable]:
    """3-D max or average pooling with windows that divide volumes into pool_size parts.

    Args:
        input: a float variable [N, C, D, H, W].
        pool_size: the size of the result, an int or [depth, height, width].
        pool_type: "max" or "avg".
        require_index: also return the argmax indices; for "max" only.

    Returns:
        A variable [N, C, depth, height, width]; with require_index, (that, its int32 indices into the flattened
        volume).
    """
    return _adaptive(3, input, pool_size, pool_type, require_index, name)


def _adaptive(
    rank: int, input: BaseVariable, size: Ints, kind: str, require_index: bool, name: str | None
) -> BaseVariable | tuple[BaseVariable, BaseVariable]:
    function = f"adaptive_pool{rank}d"
    if kind not in ("max", "avg"):
        raise ArgumentError(f"{function}: pool_type must be 'max' or 'avg', got {kind!r}")
    if kind == "avg" and require_index:
        raise ArgumentError(f"{function}: require_index=True needs pool_type='max'; a mean has no position")
    sizes = pair(size, rank)
    if kind == "avg":
        op_type = f"pool{rank}d"
        out, _ = registry.get(op_type)(
            input, name=LayerName(op_type, name), pooling_type=kind, ksize=sizes, adaptive=True
        )
        return out
    op_type = f"max_pool{rank}d_with_index"
    out, mask = registry.get(op_type)(input, name=LayerName(op_type, name), ksize=sizes, adaptive=True)
    return (out, mask) if require_index else out
