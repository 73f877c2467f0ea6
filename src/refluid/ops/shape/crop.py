"""crop, crop_tensor: a box of given size cut out of a tensor."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import INDICES, Shape, Tensor, op
from refluid.ops.shape.sizes import Sizes, sizes_from


def _box(x_shape: Sizes, offsets: Sizes, shape: Sizes) -> list[int]:
    """The sizes of the box; -1 (and 0) take all after the offset. Sizes of X may be unknown (-1)."""
    if len(shape) != len(x_shape):
        raise ArgumentError(f"shape must have a size for each of the {len(x_shape)} axes of X, got {list(shape)}")
    if len(offsets) != len(x_shape):
        raise ArgumentError(f"offsets must have a number for each of the {len(x_shape)} axes of X, got {list(offsets)}")
    sizes = []
    for axis, (whole, offset, size) in enumerate(zip(x_shape, offsets, shape, strict=True)):
        if size <= 0:
            size = whole - offset if whole >= 0 else -1
        if whole >= 0 and not 0 <= offset <= whole - size:
            raise ShapeError(f"offset {offset} and size {size} leave axis {axis} of X, which has size {whole}")
        sizes.append(size)
    return sizes


def _cut(X: Tensor, offsets: Sizes, shape: Sizes) -> Tensor:
    sizes = _box(X.shape, offsets, shape)
    return X[tuple(slice(at, at + size) for at, size in zip(offsets, sizes, strict=True))]


def _uncropped(Out_grad: Tensor, x_shape: Sizes, offsets: Sizes) -> Tensor:
    pads = []
    for whole, at, size in zip(reversed(x_shape), reversed(offsets), reversed(Out_grad.shape), strict=True):
        pads += [at, whole - at - size]
    return torch.constant_pad_nd(Out_grad, pads)


@op("Out", nograd="Y", dtypes={"Offsets": INDICES}, lod=None, views="X")
def crop(
    X: Tensor,
    Y: Tensor | None = None,
    Offsets: Tensor | None = None,
    *,
    offsets: list[int] = [],
    shape: list[int] = [],
) -> Tensor:
    """Out is the box of X that starts at offsets and has the given shape, or that of Y."""
    return _cut(X, sizes_from(offsets, Offsets), shape if Y is None else Y.shape)


@crop.grad
def crop_grad(X: Shape, Offsets: Tensor | None, Out_grad: Tensor, *, offsets: list[int]) -> Tensor:
    return _uncropped(Out_grad, X, sizes_from(offsets, Offsets))


@crop.infer
def _crop_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, y, offsets_tensor = inputs
    shape = attrs["shape"] if y is None else y.shape
    if offsets_tensor is not None:
        return [(tuple(n if n > 0 else -1 for n in shape), x.dtype)]
    return [(tuple(_box(x.shape, attrs["offsets"], shape)), x.dtype)]


@op(
    "Out",
    dtypes={"Shape": INDICES, "Offsets": INDICES, "ShapeTensor": INDICES, "OffsetsTensor": INDICES},
    lod=None,
    views="X",
)
def crop_tensor(
    X: Tensor,
    Shape: Tensor | None = None,
    Offsets: Tensor | None = None,
    ShapeTensor: list[Tensor] | None = None,
    OffsetsTensor: list[Tensor] | None = None,
    *,
    offsets: list[int] = [],
    shape: list[int] = [],
) -> Tensor:
    """Out is the box of X that starts at offsets and has the given shape; -1 takes all after the offset."""
    return _cut(X, sizes_from(offsets, Offsets, OffsetsTensor), sizes_from(shape, Shape, ShapeTensor))


@crop_tensor.grad
def crop_tensor_grad(
    X: Shape,
    Offsets: Tensor | None,
    OffsetsTensor: list[Tensor] | None,
    Out_grad: Tensor,
    *,
    offsets: list[int],
) -> Tensor:
    return _uncropped(Out_grad, X, sizes_from(offsets, Offsets, OffsetsTensor))


@crop_tensor.infer
def _crop_tensor_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, shape_spec, offsets_spec, shape_specs, offsets_specs = inputs
    shape = attrs["shape"]
    if shape_spec is None and not shape_specs and offsets_spec is None and not offsets_specs:
        return [(tuple(_box(x.shape, attrs["offsets"], shape)), x.dtype)]
    if shape_spec is not None or not len(shape):
        shape = [-1] * len(x.shape)
    return [(tuple(n if n > 0 else -1 for n in shape), x.dtype)]
