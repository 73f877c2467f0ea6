"""squeeze, squeeze2: axes of size 1 removed."""

from __future__ import annotations

from typing import Any

from refluid.ops.registry import Shape, Tensor, op
from refluid.ops.shape.sizes import Sizes, axis_of, lod_if_rows_match, xshape, xshape_spec


def without(shape: Sizes, axes: Sizes) -> list[int]:
    """The shape without these axes, or without all of size 1 if none are named; at least one axis stays.

    A named axis of another size stays.
    """
    if axes:
        named = {axis_of(a, len(shape), "axes") for a in axes}
        return [n for i, n in enumerate(shape) if i not in named or n not in (1, -1)] or [1]
    return [n for n in shape if n != 1] or [1]


@op("Out", views="X")
def squeeze(X: Tensor, *, axes: list[int] = []) -> Tensor:
    """Out is X without the axes named, or without all axes of size 1."""
    return X.reshape(without(X.shape, axes))


@op("Out XShape", intermediate="XShape", views="X")
def squeeze2(X: Tensor, *, axes: list[int] = []) -> tuple[Tensor, Tensor]:
    """As squeeze; XShape keeps X's shape for the gradient."""
    return X.reshape(without(X.shape, axes)), xshape(X)


@squeeze.grad
def squeeze_grad(X: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad.reshape(X)


@squeeze2.grad
def squeeze2_grad(XShape: Shape, Out_grad: Tensor) -> Tensor:
    return Out_grad.reshape(XShape[1:])


# An unknown size may turn out to be 1, so a stand-in cannot tell.
@squeeze.infer
def _squeeze_spec(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [(tuple(without(inputs[0].shape, attrs["axes"])), inputs[0].dtype)]


@squeeze2.infer
def _squeeze2_specs(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [*_squeeze_spec(inputs, attrs), xshape_spec(inputs[0])]


def _out_shape(shape: Sizes, attrs: dict[str, Any]) -> Sizes:
    return without(shape, attrs["axes"])


squeeze.lods(lod_if_rows_match(_out_shape, 1))
squeeze2.lods(lod_if_rows_match(_out_shape, 2))
