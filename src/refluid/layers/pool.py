"""Pooling of images and volumes."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.common import pair
from refluid.layers.conv import channel_axis_of, split_padding
from refluid.ops import registry


def pool2d(
    input: Any,
    pool_size: Any = -1,
    pool_type: str = "max",
    pool_stride: Any = 1,
    pool_padding: Any = 0,
    global_pooling: bool = False,
    use_cudnn: bool = True,
    ceil_mode: bool = False,
    name: str | None = None,
    exclusive: bool = True,
    data_format: str = "NCHW",
) -> Any:
    """The largest or the mean of every window of images.

    Args:
        pool_type: "max" or "avg".
        global_pooling: one window over the whole image.
        ceil_mode: windows that stick out at the end count too.
        exclusive: means leave the padding out.
    """
    return _pool(2, input, pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn, ceil_mode, name,
                 exclusive, data_format)  # fmt: skip


def pool3d(
    input: Any,
    pool_size: Any = -1,
    pool_type: str = "max",
    pool_stride: Any = 1,
    pool_padding: Any = 0,
    global_pooling: bool = False,
    use_cudnn: bool = True,
    ceil_mode: bool = False,
    name: str | None = None,
    exclusive: bool = True,
    data_format: str = "NCDHW",
) -> Any:
    """The largest or the mean of every window of volumes; as pool2d with one axis more."""
    return _pool(3, input, pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn, ceil_mode, name,
                 exclusive, data_format)  # fmt: skip


def _pool(rank: int, input: Any, size: Any, kind: str, stride: Any, padding: Any, global_pooling: bool, use_cudnn: bool,
          ceil_mode: bool, name: str | None, exclusive: bool, data_format: str) -> Any:  # fmt: skip
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
    input: Any, pool_size: Any, pool_type: str = "max", require_index: bool = False, name: str | None = None
) -> Any:
    """The largest or the mean of windows that divide images into pool_size parts.

    Args:
        input: [N, C, H, W].
        pool_size: the size of the result, a number or [height, width].
        require_index: also where in the image each maximum was; for "max" alone.
    Returns:
        [N, C, *pool_size]; with require_index, (that, the positions).
    """
    return _adaptive(2, input, pool_size, pool_type, require_index, name)


def adaptive_pool3d(
    input: Any, pool_size: Any, pool_type: str = "max", require_index: bool = False, name: str | None = None
) -> Any:
    """The largest or the mean of windows that divide volumes into pool_size parts; see adaptive_pool2d."""
    return _adaptive(3, input, pool_size, pool_type, require_index, name)


def _adaptive(rank: int, input: Any, size: Any, kind: str, require_index: bool, name: str | None) -> Any:
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
