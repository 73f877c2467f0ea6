"""pad2d: images padded by a constant, reflection or edge replication."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional as F

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.aten import aten
from refluid.ops.registry import INDICES, Shape, Tensor, op
from refluid.ops.shape.sizes import Sizes, sizes_from

_reflection_backward = aten("reflection_pad2d_backward")
_replication_backward = aten("replication_pad2d_backward")
_MODES = {"constant": "constant", "reflect": "reflect", "edge": "replicate"}


def _check(shape: Sizes, paddings: Sizes, mode: str, data_format: str) -> None:
    if len(shape) != 4:
        raise ShapeError(f"X must have 4 axes, got shape {list(shape)}")
    if mode not in _MODES:
        raise ArgumentError(f"mode must be constant, reflect or edge, got {mode!r}")
    if len(paddings) != 4:
        raise ArgumentError(f"paddings must be 4 numbers: top, bottom, left, right, got {list(paddings)}")
    height, width = shape[2:] if data_format == "NCHW" else shape[1:3]
    if mode == "reflect" and (0 <= height <= max(paddings[:2]) or 0 <= width <= max(paddings[2:])):
        raise ShapeError(f"a picture of {height} x {width} has nothing to mirror into paddings {list(paddings)}")


def _sides(paddings: Sizes) -> list[int]:
    top, bottom, left, right = paddings
    return [left, right, top, bottom]


@op("Out", dtypes={"Paddings": INDICES}, lod=None, late="Paddings")
def pad2d(
    X: Tensor,
    Paddings: Tensor | None = None,
    *,
    paddings: list[int],
    pad_value: float = 0.0,
    mode: str = "constant",
    data_format: str = "NCHW",
) -> Tensor:
    """Out is X with paddings (top, bottom, left, right): pad_value, X reflected at its edge, or its edge repeated."""
    paddings = sizes_from(paddings, Paddings)
    _check(X.shape, paddings, mode, data_format)
    sides = _sides(paddings)
    if mode == "constant":
        return torch.constant_pad_nd(X, sides if data_format == "NCHW" else [0, 0, *sides], pad_value)
    x = X if data_format == "NCHW" else X.permute(0, 3, 1, 2)
    out = F.pad(x, [max(n, 0) for n in sides], _MODES[mode])
    if min(sides) < 0:  # cropped cells
        out = torch.constant_pad_nd(out, [min(n, 0) for n in sides])
    return out if data_format == "NCHW" else out.permute(0, 2, 3, 1)


@pad2d.grad
def pad2d_grad(
    X: Shape, Paddings: Tensor | None, Out_grad: Tensor, *, paddings: list[int], mode: str, data_format: str
) -> Tensor:
    sides = _sides(sizes_from(paddings, Paddings))
    if mode == "constant":
        return torch.constant_pad_nd(Out_grad, [-n for n in (sides if data_format == "NCHW" else [0, 0, *sides])])
    backward = _reflection_backward if mode == "reflect" else _replication_backward
    if min(sides) < 0:
        cut = [max(-n, 0) for n in sides]
        Out_grad = torch.constant_pad_nd(Out_grad, cut if data_format == "NCHW" else [0, 0, *cut])
        sides = [max(n, 0) for n in sides]
    # The kernels ask for X, but read nothing of it except its shape.
    if data_format == "NCHW":
        return backward(Out_grad, Out_grad.new_empty(X), sides)
    n, height, width, channels = X
    like_x = Out_grad.new_empty((n, channels, height, width))
    return backward(Out_grad.permute(0, 3, 1, 2), like_x, sides).permute(0, 2, 3, 1)


@pad2d.infer
def _spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, tensor = inputs
    paddings = [0] * 4 if tensor is not None else attrs["paddings"]
    _check(x.shape, paddings, "constant" if tensor is not None else attrs["mode"], attrs["data_format"])
    first = 2 if attrs["data_format"] == "NCHW" else 1
    out = list(x.shape)
    for axis, (before, after) in zip((first, first + 1), (paddings[:2], paddings[2:]), strict=True):
        out[axis] = -1 if tensor is not None or out[axis] < 0 else out[axis] + before + after
    return [(tuple(out), x.dtype)]
