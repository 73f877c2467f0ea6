"""The convolution of any rank, forward and backward, that conv2d and conv3d are made of."""

from __future__ import annotations

from typing import NoReturn

import torch

from refluid.core.errors import ShapeError
from refluid.ops.aten import aten
from refluid.ops.nn.geometry import (
    as_pad,
    channels_first,
    channels_last,
    check_length,
    check_rank,
    crop,
    is_channels_last,
    pad_sides,
)
from refluid.ops.registry import Tensor

convolution_backward = aten("convolution_backward")
ZEROS = {2: [0, 0], 3: [0, 0, 0]}
Grads = tuple[Tensor | None, Tensor | None, Tensor | None]


def convolve(
    rank: int, Input: Tensor, Filter: Tensor, Bias: Tensor | None, strides: list[int], paddings: list[int],
    padding_algorithm: str, groups: int, dilations: list[int], data_format: str,
) -> Tensor:  # fmt: skip
    """Output[n, o] = sum over the window and the channels of its group of Input[n] * Filter[o], plus Bias[o]."""
    check_rank("Input", Input, rank + 2)
    last = is_channels_last(data_format)
    x = channels_first(Input) if last else Input
    if padding_algorithm != "EXPLICIT" or len(paddings) != rank:
        x, paddings, dilations, _ = _padded(x, Filter, strides, paddings, padding_algorithm, dilations)
    try:
        out = torch.convolution(x, Filter, Bias, strides, paddings, dilations, False, ZEROS[rank], groups)
    except RuntimeError as error:
        _explain(rank, x, Filter, Bias, strides, paddings, groups, dilations)
        raise error
    return channels_last(out) if last else out


def convolve_grad(
    rank: int, Input: Tensor, Filter: Tensor, Bias: Tensor | None, Output_grad: Tensor, needs: tuple[bool, ...],
    strides: list[int], paddings: list[int], padding_algorithm: str, groups: int, dilations: list[int],
    data_format: str,
) -> Grads:  # fmt: skip
    last = is_channels_last(data_format)
    x, out_grad = (channels_first(Input), channels_first(Output_grad)) if last else (Input, Output_grad)
    sizes, starts = x.shape[2:], None
    if padding_algorithm != "EXPLICIT" or len(paddings) != rank:
        x, paddings, dilations, starts = _padded(x, Filter, strides, paddings, padding_algorithm, dilations)
    mask = [needs[0], needs[1], Bias is not None and needs[2]]
    x_grad, w_grad, b_grad = convolution_backward(
        out_grad, x, Filter, None if Bias is None else Bias.shape, strides, paddings, dilations, False, ZEROS[rank],
        groups, mask,
    )  # fmt: skip
    if x_grad is not None:
        if starts is not None:
            x_grad = crop(x_grad, starts, sizes)
        if last:
            x_grad = channels_last(x_grad)
    return x_grad, w_grad, b_grad


def _padded(
    x: Tensor, w: Tensor, strides: list[int], paddings: list[int], algorithm: str, dilations: list[int]
) -> tuple[Tensor, list[int], list[int], list[int] | None]:
    """The image, the padding left to the kernel, the dilations, and where the image begins if it had to be padded."""
    sides = pad_sides(paddings, algorithm, x.shape[2:], w.shape[2:], strides)
    if algorithm == "SAME":
        dilations = [1] * len(dilations)  # Fluid: SAME knows no dilation
    if all(before == after for before, after in sides):
        return x, [before for before, _ in sides], dilations, None
    padded = torch.nn.functional.pad(x, as_pad(sides))
    return padded, ZEROS[len(sides)], dilations, [before for before, _ in sides]


def _explain(
    rank: int, x: Tensor, w: Tensor, bias: Tensor | None, strides: list[int], paddings: list[int], groups: int,
    dilations: list[int],
) -> NoReturn | None:  # fmt: skip
    """Say what is wrong with a convolution that the kernel refused."""
    check_rank("Filter", w, rank + 2)
    check_length("strides", strides, rank)
    check_length("dilations", dilations, rank)
    if groups < 1 or x.shape[1] != w.shape[1] * groups:
        raise ShapeError(f"Input has {x.shape[1]} channels, but Filter takes {w.shape[1] * groups} (groups={groups})")
    if w.shape[0] % groups:
        raise ShapeError(f"Filter has {w.shape[0]} output channels, which {groups} groups cannot share evenly")
    if bias is not None and list(bias.shape) != [w.shape[0]]:
        raise ShapeError(f"Bias must have shape [{w.shape[0]}], one number per filter, got {list(bias.shape)}")
    if min(strides) < 1 or min(dilations) < 1:
        raise ShapeError(f"strides and dilations must be positive, got {list(strides)} and {list(dilations)}")
    for axis, (n, k, p, d) in enumerate(zip(x.shape[2:], w.shape[2:], paddings, dilations), 2):
        if n + 2 * p < d * (k - 1) + 1:
            raise ShapeError(
                f"the filter spans {d * (k - 1) + 1} cells of axis {axis}, but the padded Input has only {n + 2 * p}"
            )
    return None
