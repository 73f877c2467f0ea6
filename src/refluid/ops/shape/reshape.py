"""reshape, reshape2: the same elements in another shape."""

from __future__ import annotations

import math
from typing import Any

from refluid.core.errors import ShapeError
from refluid.ops.registry import INDICES, LoD, Shape, Tensor, op
from refluid.ops.shape.sizes import Sizes, count, sizes_from, xshape, xshape_spec

_OPTIONS: dict[str, Any] = {"dtypes": {"Shape": INDICES, "ShapeTensor": INDICES}}


def resolve(shape: Sizes, x_shape: Sizes) -> list[int]:
    """The sizes that `shape` asks for: 0 copies the size of X at that axis, one -1 takes the rest.

    Sizes of X may be unknown (-1); then the result may have unknown ones too.
    """
    copied = {i for i, n in enumerate(shape) if n == 0}
    if any(i >= len(x_shape) for i in copied):
        raise ShapeError(
            f"shape {list(shape)} copies an axis that X does not have (a 0 beyond its {len(x_shape)} axes)"
        )
    if any(n < -1 for n in shape) or sum(n == -1 for n in shape) > 1:
        raise ShapeError(f"shape may have one -1 and no other negative size, got {list(shape)}")
    out = [x_shape[i] if i in copied else n for i, n in enumerate(shape)]
    # What is copied is the same on both sides and cancels out, known or unknown, empty or not.
    left = [n for i, n in enumerate(x_shape) if i not in copied]
    if -1 in left:
        return out
    elements, known = math.prod(left), math.prod(n for i, n in enumerate(shape) if i not in copied and n != -1)
    if -1 in shape:
        if known == 0 or elements % known:
            raise ShapeError(
                f"X of shape {list(x_shape)} cannot be reshaped to {list(shape)}: {known} does not divide {elements}"
            )
        out[list(shape).index(-1)] = elements // known
    elif elements != known:
        raise ShapeError(
            f"X of shape {list(x_shape)} has {math.prod(x_shape)} elements, "
            f"but shape {list(shape)} takes {math.prod(out)}"
        )
    return out


def reshaped(X: Tensor, Shape: Tensor | None, ShapeTensor: list[Tensor] | None, shape: list[int]) -> Tensor:
    shape = sizes_from(shape, Shape, ShapeTensor)
    try:
        return X.reshape([n or X.shape[i] for i, n in enumerate(shape)] if 0 in shape else shape)
    except (RuntimeError, IndexError):  # `resolve` raises the reason, unless X is empty, where torch refuses a -1
        return X.reshape(resolve(shape, X.shape))


@op("Out", **_OPTIONS, views="X")
def reshape(
    X: Tensor, Shape: Tensor | None = None, ShapeTensor: list[Tensor] | None = None, *, shape: list[int] = []
) -> Tensor:
    """Out holds the elements of X in their order; a 0 in shape copies X's size there, a -1 takes the rest."""
    return reshaped(X, Shape, ShapeTensor, shape)


@op(
    "Out XShape",
    intermediate="XShape",
    **_OPTIONS,
    late="Shape ShapeTensor",
    grad_hints="use_mkldnn use_quantizer",
    views="X",
)
def reshape2(
    X: Tensor, Shape: Tensor | None = None, ShapeTensor: list[Tensor] | None = None, *, shape: list[int] = []
) -> tuple[Tensor, Tensor]:
    """As reshape; XShape keeps X's shape for the gradient."""
    return reshaped(X, Shape, ShapeTensor, shape), xshape(X)


@reshape.grad
def reshape_grad(X: Shape, Out: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad.reshape(X)


@reshape2.grad
def reshape2_grad(XShape: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad.reshape(XShape[1:])


def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, shape_spec, shape_specs = inputs
    shape = attrs["shape"]
    if shape_spec is None and not shape_specs:
        out = resolve(shape, x.shape)
    elif len(shape):  # the attribute then has the known sizes, with -1 for the others
        out = [x.shape[i] if n == 0 and i < len(x.shape) else n for i, n in enumerate(shape)]
    else:
        out = [-1] * count(shape, shape_spec, shape_specs)
    return [(tuple(out), x.dtype), xshape_spec(x)]


@reshape.infer
def _reshape_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return _infer(inputs, attrs)[:1]


@reshape2.infer
def _reshape2_specs(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return _infer(inputs, attrs)


def _lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    """Fluid: the output has X's LoD if the number of rows is the same."""
    lod, x = ins[0], values[0]
    if lod is None:
        return [None, None]
    rows = resolve(sizes_from(attrs["shape"], values[1], values[2]), x.shape)[0]
    return [lod if rows == x.shape[0] else None, None]


@reshape.lods
def _reshape_lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return _lods(ins, values, attrs)[:1]


@reshape2.lods
def _reshape2_lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return _lods(ins, values, attrs)
