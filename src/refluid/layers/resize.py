"""Resizing images and volumes."""

from __future__ import annotations

from numbers import Real
from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.layers.common import as_list
from refluid.layers.numbers import cut_off, is_variable, mixed, need_variable, stopped
from refluid.ops import registry

_RANK = {"LINEAR": 1, "BILINEAR": 2, "NEAREST": 2, "TRILINEAR": 3}
_LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def image_resize(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: str | None = None,
    resample: str = "BILINEAR",
    actual_shape: Any = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCHW",
) -> Any:
    """Enlarge or shrink images by interpolation.

    Args:
        input: [N, C, H, W] or, for TRILINEAR, [N, C, D, H, W]; channels last with data_format="NHWC" or "NDHWC".
        out_shape: the new sizes: numbers, variables of one int32, or one variable with all of them.
        scale: a factor, a number or a variable, if out_shape is not given.
        resample: "LINEAR" (2.0-alpha, of [N, C, W]), "BILINEAR", "TRILINEAR" or "NEAREST".
        actual_shape: a variable that takes the place of out_shape when running.
        align_corners: the corner pixels of both images lie on each other.
        align_mode: without align_corners, 0 puts pixels at their centres, 1 at their corners.
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
        known = " or ".join(repr(one) for one in _LAYOUTS[rank])
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
    numbers, variables = mixed("image_resize: out_shape", cut_off(sizes), layer)
    attrs.update(zip(("out_d", "out_h", "out_w")[3 - rank :], numbers, strict=True))
    return variables


def resize_linear(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: str | None = None,
    actual_shape: Any = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCW",
) -> Any:
    """image_resize of rows [N, C, W] by the two nearest elements (2.0-alpha)."""
    return image_resize(input, out_shape, scale, name, "LINEAR", actual_shape, align_corners, align_mode, data_format)


def resize_bilinear(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: str | None = None,
    actual_shape: Any = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCHW",
) -> Any:
    """image_resize by the four nearest pixels."""
    return image_resize(input, out_shape, scale, name, "BILINEAR", actual_shape, align_corners, align_mode, data_format)


def resize_trilinear(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: str | None = None,
    actual_shape: Any = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCDHW",
) -> Any:
    """image_resize of volumes by the eight nearest cells."""
    return image_resize(
        input, out_shape, scale, name, "TRILINEAR", actual_shape, align_corners, align_mode, data_format
    )


def resize_nearest(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: str | None = None,
    actual_shape: Any = None,
    align_corners: bool = True,
    data_format: str = "NCHW",
) -> Any:
    """image_resize by the nearest pixel."""
    return image_resize(input, out_shape, scale, name, "NEAREST", actual_shape, align_corners, 1, data_format)


def image_resize_short(input: Any, out_short_len: int, resample: str = "BILINEAR") -> Any:
    """Resize images [N, C, H, W] so that the shorter side has out_short_len pixels; the proportions stay."""
    need_variable("image_resize_short: input", input)
    if len(input.shape) != 4 or min(input.shape[2:]) < 0:
        raise ShapeError(f"image_resize_short: input must be [N, C, H, W] with known H and W, got {list(input.shape)}")
    sides = list(input.shape[2:])
    short = sides.index(min(sides))
    sides[1 - short] = int(float(sides[1 - short]) * (float(out_short_len) / float(sides[short])) + 0.5)
    sides[short] = out_short_len
    return image_resize(input, out_shape=sides, resample=resample)


interpolate = image_resize
