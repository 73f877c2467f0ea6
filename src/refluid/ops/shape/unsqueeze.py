"""unsqueeze, unsqueeze2: axes of size 1 inserted."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.ops.registry import INDICES, LoD, Shape, Tensor, op
from refluid.ops.shape.sizes import Sizes, count, sizes_from, xshape, xshape_spec

_OPTIONS: dict[str, Any] = {"dtypes": {"AxesTensor": INDICES, "AxesTensorList": INDICES}}


def with_axes(shape: Sizes, axes: Sizes) -> list[int]:
    """Fluid inserts them one after the other: each index refers to the shape at that point."""
    out = list(shape)
    for axis in axes:
        place = axis + len(out) + 1 if axis < 0 else axis
        if not 0 <= place <= len(out):
            raise ArgumentError(
                f"axes must be in [{-len(out) - 1}, {len(out)}] for a tensor of rank {len(out)}, got {axis}"
            )
        out.insert(place, 1)
    return out


@op("Out", **_OPTIONS, views="X")
def unsqueeze(
    X: Tensor, AxesTensor: Tensor | None = None, AxesTensorList: list[Tensor] | None = None, *, axes: list[int] = []
) -> Tensor:
    """Out is X with an axis of size 1 at each index of axes."""
    return X.reshape(with_axes(X.shape, sizes_from(axes, AxesTensor, AxesTensorList)))


@op("Out XShape", intermediate="XShape", **_OPTIONS, views="X")
def unsqueeze2(
    X: Tensor, AxesTensor: Tensor | None = None, AxesTensorList: list[Tensor] | None = None, *, axes: list[int] = []
) -> tuple[Tensor, Tensor]:
    """As unsqueeze; XShape keeps X's shape for the gradient."""
    return X.reshape(with_axes(X.shape, sizes_from(axes, AxesTensor, AxesTensorList))), xshape(X)


@unsqueeze.grad
def unsqueeze_grad(X: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad.reshape(X)


@unsqueeze2.grad
def unsqueeze2_grad(XShape: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad.reshape(XShape[1:])


@unsqueeze.infer
def _unsqueeze_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    x, tensor, tensors = inputs
    if tensor is None and not tensors:
        return [(tuple(with_axes(x.shape, attrs["axes"])), x.dtype)]
    return [((-1,) * (len(x.shape) + count(attrs["axes"], tensor, tensors)), x.dtype)]


@unsqueeze2.infer
def _unsqueeze2_specs(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [*_unsqueeze_spec(inputs, attrs), xshape_spec(inputs[0])]


@unsqueeze.lods
def _unsqueeze_lod(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    """Fluid: the output has X's LoD if the number of rows is the same."""
    lod, shape = ins[0], values[0].shape
    if lod is None:
        return [None]
    return [lod if with_axes(shape, sizes_from(attrs["axes"], values[1], values[2]))[0] == shape[0] else None]


@unsqueeze2.lods
def _unsqueeze2_lods(ins: list[Any], values: list[Any], attrs: dict[str, Any]) -> list[LoD | None]:
    return [*_unsqueeze_lod(ins, values, attrs), None]
