"""affine_channel, affine_grid and grid_sampler: scale and bias per channel, and sampling at a grid's points."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.aten import aten
from refluid.ops.infer import Spec
from refluid.ops.nn.geometry import check_rank, is_channels_last
from refluid.ops.registry import FLOATS, Tensor, op

grid_sampler_2d_backward = aten("grid_sampler_2d_backward")
BILINEAR, ZEROS = 0, 0  # how ATen numbers these modes


@op(dtypes={"X": FLOATS})
def affine_channel(X: Tensor, Scale: Tensor, Bias: Tensor, *, data_layout: str = "AnyLayout") -> Tensor:
    """Out = X * Scale + Bias, per channel: a frozen batch_norm."""
    axis = _channel_axis(X, data_layout)
    for name, t in (("Scale", Scale), ("Bias", Bias)):
        if t.numel() != X.shape[axis]:
            raise ShapeError(f"X has {X.shape[axis]} channels, but {name} has {t.numel()} numbers")
    shape = [-1] + [1] * (X.dim() - 1 - axis)
    return torch.addcmul(Bias.reshape(shape), X, Scale.reshape(shape))


@affine_channel.grad
def affine_channel_grad(
    X: Tensor, Scale: Tensor, Out_grad: Tensor, *, needs: tuple[bool, ...], data_layout: str
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    axis = _channel_axis(X, data_layout)
    others = [i for i in range(X.dim()) if i != axis]
    shape = [-1] + [1] * (X.dim() - 1 - axis)
    return (
        Out_grad * Scale.reshape(shape) if needs[0] else None,
        (Out_grad * X).sum(others) if needs[1] else None,
        Out_grad.sum(others) if needs[2] else None,
    )


def _channel_axis(x: Tensor, data_layout: str) -> int:
    return x.dim() - 1 if is_channels_last(data_layout) else 1


@op("Output", dtypes={"Theta": FLOATS}, nograd="OutputShape", grad_hints="use_cudnn")
def affine_grid(Theta: Tensor, OutputShape: Tensor | None = None, *, output_shape: list[int] = []) -> Tensor:
    """Output[n, y, x] = Theta[n] times (x, y, 1), with x and y from -1 to 1 over an image [N, C, H, W].

    The shape of that image is OutputShape if given, else `output_shape`.
    """
    if Theta.dim() != 3 or Theta.shape[1:] != (2, 3):
        raise ShapeError(f"Theta must have shape [batch, 2, 3], got {list(Theta.shape)}")
    shape = list(output_shape) if OutputShape is None else OutputShape.tolist()
    if len(shape) != 4:
        raise ShapeError(f"the output shape must be [{Theta.shape[0]}, C, H, W], got {shape}")
    return torch.affine_grid_generator(Theta, [len(Theta), *shape[1:]], True)  # Fluid: a grid per Theta


@affine_grid.infer
def affine_grid_infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    theta, output_shape = inputs
    if len(theta.shape) != 3 or any(n not in (-1, size) for n, size in zip(theta.shape[1:], (2, 3))):
        raise ShapeError(f"Theta must have shape [batch, 2, 3], got {list(theta.shape)}")
    shape = attrs["output_shape"]
    known = output_shape is None and len(shape) == 4
    return [Spec((theta.shape[0], shape[2] if known else -1, shape[3] if known else -1, 2), theta.dtype)]


@op("Output", dtypes={"X": FLOATS, "Grid": FLOATS}, grad_hints="use_cudnn")
def grid_sampler(X: Tensor, Grid: Tensor) -> Tensor:
    """Output[n, :, i, j] = X[n] at the point Grid[n, i, j] = (x, y), both from -1 to 1; zero outside."""
    check_rank("X", X, 4)
    if Grid.dim() != 4 or Grid.shape[0] != X.shape[0] or Grid.shape[3] != 2:
        raise ShapeError(f"Grid must have shape [{X.shape[0]}, H, W, 2], got {list(Grid.shape)}")
    return torch.grid_sampler_2d(X, Grid, BILINEAR, ZEROS, True)


@grid_sampler.grad
def grid_sampler_grad(
    X: Tensor, Grid: Tensor, Output_grad: Tensor, *, needs: tuple[bool, ...]
) -> tuple[Tensor | None, Tensor | None]:
    x_grad, grid_grad = grid_sampler_2d_backward(Output_grad, X, Grid, BILINEAR, ZEROS, True, [needs[0], True])
    return x_grad, grid_grad if needs[1] else None
