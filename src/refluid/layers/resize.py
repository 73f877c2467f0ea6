"""Resizing images and volumes."""

from __future__ import annotations

from numbers import Real
from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable, need_variable, truncated
from refluid.layers.common import ShapeLike, as_list
from refluid.layers.mixed import mixed, stopped
from refluid.ops import registry

_RANK = {"LINEAR": 1, "BILINEAR": 2, "NEAREST": 2, "TRILINEAR": 3}
_LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def image_resize(
    input: BaseVariable,
    out_shape: ShapeLike | None = None,
    scale: float | BaseVariable | None = None,
    name: str | None = None,
    resample: str = "BILINEAR",
    actual_shape: BaseVariable | None = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCHW",
) -> BaseVariable:
    """Images resized by interpolation.

    Args:
        input: a float variable [N, C, W] for "LINEAR", [N, C, H, W], or [N, C, D, H, W] for "TRILINEAR"; channels last
            with data_format="NWC", "NHWC" or "NDHWC".
        out_shape: the new sizes: ints, one-element int32 variables, or an int32 variable with all of them.
        scale: the factor, a number or a float32 variable [1], if out_shape is None.
        resample: "LINEAR" (2.0-alpha), "BILINEAR", "TRILINEAR" or "NEAREST".
        actual_shape: an int32 variable that replaces out_shape at run time.
        align_corners: the centers of the corner pixels of both images coincide.
        align_mode: without align_corners, 0 for pixel centers at index + 0.5, 1 for index * scale.
        data_format: the order of the axes, "NCHW" for example.

    Returns:
        A variable with the new sizes.
    """
    method = str(resample).upper()
    if method not in _RANK:
        known = ", ".join(map(repr, _RANK))
        raise ArgumentError(f"image_resize: resample must be one of {known}, got {resample!r}")
    need_variable("image_resize: input", input)
    rank = _RANK[method]
    if len(input.shape) != rank + 2:
        raise ShapeError(f"image_resize: {method} takes {rank + 2} axes, got {input.name} {list(input.shape)}")
    if data_format not in _LAYOUTS[rank]:
        known = " or ".join(map(repr, _LAYOUTS[rank]))
        raise ArgumentError(f"image_resize: data_format must be {known} for {method}, got {data_format!r}")
    if align_mode not in (0, 1):
        raise ArgumentError(f"image_resize: align_mode must be 0 or 1, got {align_mode!r}")
    if out_shape is None and scale is None:
        raise ArgumentError("image_resize: out_shape or scale must be given")
    op_type = f"{method.lower()}_interp"
    layer = LayerName(op_type, name)
    attrs: dict[str, Any] = {}
    whole = None if actual_shape is None else stopped(actual_shape)
    sizes = factor = None
    if out_shape is not None:
        if is_variable(out_shape):
            whole = stopped(out_shape) if whole is None else whole
        else:
            sizes = _out_sizes(as_list(out_shape), rank, layer, attrs)
    elif is_variable(scale):
        factor = stopped(scale)
    elif not isinstance(scale, Real) or scale <= 0:
        raise ArgumentError(f"image_resize: scale must be a positive number or a variable, got {scale!r}")
    else:
        attrs["scale"] = float(scale)
    return registry.get(op_type)(
        input, whole, sizes, factor, name=layer, **{"out_d": -1, "out_h": -1, "out_w": -1, **attrs},
        interp_method=method.lower(), align_corners=align_corners, align_mode=align_mode,
        data_layout="NCHW" if data_format in ("NCW", "NCHW", "NCDHW") else "NHWC",
    )  # fmt: skip


def _out_sizes(sizes: list[Any], rank: int, layer: LayerName, attrs: dict[str, Any]) -> list[Any] | None:
    """Put numbers into `attrs`; if some sizes are variables, return all of them as variables."""
    if len(sizes) != rank:
        raise ArgumentError(f"image_resize: out_shape must have {rank} sizes, got {sizes!r}")
    numbers, variables = mixed("image_resize: out_shape", truncated(sizes), layer)
    attrs.update(zip(("out_d", "out_h", "out_w")[3 - rank :], numbers, strict=True))
    return variables


def resize_linear(
    input: BaseVariable,
    out_shape: ShapeLike | None = None,
    scale: float | BaseVariable | None = None,
    name: str | None = None,
    actual_shape: BaseVariable | None = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCW",
) -> BaseVariable:
    """Rows resized by linear interpolation (2.0-alpha).

    Args:
        input: a float variable [N, C, W], or [N, W, C] with data_format="NWC".
        out_shape: the new size [W'], as image_resize has it.
        scale: the factor, a number or a float32 variable [1], if out_shape is None.
        actual_shape: an int32 variable that replaces out_shape at run time.
        align_corners: the centers of the corner elements of both rows coincide.
        align_mode: without align_corners, 0 for centers at index + 0.5, 1 for index * scale.
        data_format: "NCW" or "NWC".

    Returns:
        A variable [N, C, W'].
    """
    return image_resize(input, out_shape, scale, name, "LINEAR", actual_shape, align_corners, align_mode, data_format)


def resize_bilinear(
    input: BaseVariable,
    out_shape: ShapeLike | None = None,
    scale: float | BaseVariable | None = None,
    name: str | None = None,
    actual_shape: BaseVariable | None = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCHW",
) -> BaseVariable:
    """Images resized by bilinear interpolation.

    Args:
        input: a float variable [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        out_shape: the new sizes [H', W'], as image_resize has them.
        scale: the factor, a number or a float32 variable [1], if out_shape is None.
        actual_shape: an int32 variable that replaces out_shape at run time.
        align_corners: the centers of the corner pixels of both images coincide.
        align_mode: without align_corners, 0 for pixel centers at index + 0.5, 1 for index * scale.
        data_format: "NCHW" or "NHWC".

    Returns:
        A variable [N, C, H', W'].

    Example:
        >>> image = fluid.data("image", [None, 3, 8, 8])
        >>> fluid.layers.resize_bilinear(image, out_shape=[16, 12]).shape
        (-1, 3, 16, 12)
    """
    return image_resize(input, out_shape, scale, name, "BILINEAR", actual_shape, align_corners, align_mode, data_format)


def resize_trilinear(
    input: BaseVariable,
    out_shape: ShapeLike | None = None,
    scale: float | BaseVariable | None = None,
    name: str | None = None,
    actual_shape: BaseVariable | None = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCDHW",
) -> BaseVariable:
    """Volumes resized by trilinear interpolation.

    Args:
        input: a float variable [N, C, D, H, W], or [N, D, H, W, C] with data_format="NDHWC".
        out_shape: the new sizes [D', H', W'], as image_resize has them.
        scale: the factor, a number or a float32 variable [1], if out_shape is None.
        actual_shape: an int32 variable that replaces out_shape at run time.
        align_corners: the centers of the corner elements of both volumes coincide.
        align_mode: without align_corners, 0 for centers at index + 0.5, 1 for index * scale.
        data_format: "NCDHW" or "NDHWC".

    Returns:
        A variable [N, C, D', H', W'].
    """
    return image_resize(
        input, out_shape, scale, name, "TRILINEAR", actual_shape, align_corners, align_mode, data_format
    )


def resize_nearest(
    input: BaseVariable,
    out_shape: ShapeLike | None = None,
    scale: float | BaseVariable | None = None,
    name: str | None = None,
    actual_shape: BaseVariable | None = None,
    align_corners: bool = True,
    data_format: str = "NCHW",
) -> BaseVariable:
    """Images resized by nearest-neighbor interpolation.

    Args:
        input: a float variable [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        out_shape: the new sizes [H', W'], as image_resize has them.
        scale: the factor, a number or a float32 variable [1], if out_shape is None.
        actual_shape: an int32 variable that replaces out_shape at run time.
        align_corners: the centers of the corner pixels of both images coincide.
        data_format: "NCHW" or "NHWC".

    Returns:
        A variable [N, C, H', W'].

    Example:
        >>> image = fluid.data("image", [None, 3, 8, 8])
        >>> fluid.layers.resize_nearest(image, scale=2.0).shape
        (-1, 3, 16, 16)
    """
    return image_resize(input, out_shape, scale, name, "NEAREST", actual_shape, align_corners, 1, data_format)


def image_resize_short(input: BaseVariable, out_short_len: int, resample: str = "BILINEAR") -> BaseVariable:
    """Images resized so that the shorter side has a given size and the aspect ratio stays.

    Args:
        input: a float variable [N, C, H, W] with known H and W.
        out_short_len: the new size of the shorter side.
        resample: "BILINEAR" or "NEAREST".

    Returns:
        A variable [N, C, H', W'].
    """
    need_variable("image_resize_short: input", input)
    if len(input.shape) != 4 or min(input.shape[2:]) < 0:
        raise ShapeError(f"image_resize_short: input must be [N, C, H, W] with known H and W, got {list(input.shape)}")
    sides = list(input.shape[2:])
    short = sides.index(min(sides))
    sides[1 - short] = int(float(sides[1 - short]) * (float(out_short_len) / float(sides[short])) + 0.5)
    sides[short] = out_short_len
    return image_resize(input, out_shape=sides, resample=resample)


interpolate = image_resize
