"""conv2d, depthwise_conv2d and conv3d: the convolution of images and volumes."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.aten import aten
from refluid.ops.infer import Spec
from refluid.ops.math.broadcasting import unbroadcast
from refluid.ops.nn import one_channel
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
from refluid.ops.registry import FLOATS, Convolution, Tensor, op

convolution_backward = aten("convolution_backward")


_HINTS = (
    "use_mkldnn use_cudnn is_test workspace_size_MB exhaustive_search force_fp32_output fuse_activation fuse_alpha "
    "fuse_beta fuse_relu fuse_residual_connection"
)
_HINTS_OF_IMAGES = (
    "use_quantizer fuse_brelu fuse_brelu_threshold fuse_relu_before_depthwise_conv Scale_in Scale_out "
    "Scale_in_eltwise Scale_weights"
)


def _register(type: str, rank: int, layout: str) -> None:
    ones, zeros = [1] * rank, [0] * rank

    @op(
        "Output", type=type, dtypes={"Input": FLOATS, "Filter": FLOATS}, fresh=True, convolution=Convolution(rank),
        grad_hints=_HINTS if rank == 3 else f"{_HINTS} {_HINTS_OF_IMAGES}",
    )  # fmt: skip
    def conv(
        Input: Tensor,
        Filter: Tensor,
        Bias: Tensor | None = None,
        *,
        strides: list[int] = ones,
        paddings: list[int] = zeros,
        padding_algorithm: str = "EXPLICIT",
        groups: int = 1,
        dilations: list[int] = ones,
        data_format: str = layout,
    ) -> Tensor:
        """Output[n, o] = the sum over window and channels of Input[n] * Filter[o], plus Bias[o].

        Filter is [filters, channels / groups, *window] in either layout.
        """
        check_rank("Input", Input, rank + 2)
        last = is_channels_last(data_format)
        x = channels_first(Input) if last else Input
        if padding_algorithm != "EXPLICIT" or len(paddings) != rank or min(paddings) < 0:
            x, paddings, dilations, _ = _padded(x, Filter, strides, paddings, padding_algorithm, dilations)
        if rank == 2 and x.shape[1] == 1:
            x = one_channel.channels_last(x)
        try:
            out = torch.convolution(x, Filter, Bias, strides, paddings, dilations, False, zeros, groups)
        except (RuntimeError, IndexError, ZeroDivisionError):
            explain(x, Filter, Bias, strides, paddings, groups, dilations)
            raise
        return channels_last(out) if last else out

    @conv.infer
    def infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec] | None:
        x, w, _ = inputs
        if attrs["padding_algorithm"] != "EXPLICIT" or attrs["data_format"] != layout:
            return None
        if len(x.shape) != rank + 2 or len(w.shape) != rank + 2:
            return None
        groups, steps = attrs["groups"], (attrs["strides"], attrs["paddings"], attrs["dilations"])
        if any(len(values) != rank for values in steps) or min(*steps[0], *steps[2], groups) < 1:
            return None
        if x.shape[1] != w.shape[1] * groups or w.shape[0] % groups:
            return None
        spans = zip(x.shape[2:], w.shape[2:], *steps, strict=True)
        sizes = [-1 if n < 0 else (n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in spans]
        return None if 0 in sizes or min(sizes) < -1 else [Spec((x.shape[0], w.shape[0], *sizes), x.dtype)]

    @conv.grad
    def conv_grad(
        Input: Tensor,
        Filter: Tensor,
        Bias: Tensor | None,
        Output_grad: Tensor,
        *,
        needs: tuple[bool, ...],
        strides: list[int],
        paddings: list[int],
        padding_algorithm: str,
        groups: int,
        dilations: list[int],
        data_format: str,
    ) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        last = is_channels_last(data_format)
        x, out_grad = (channels_first(Input), channels_first(Output_grad)) if last else (Input, Output_grad)
        sizes, starts = x.shape[2:], None
        if padding_algorithm != "EXPLICIT" or len(paddings) != rank or min(paddings) < 0:
            x, paddings, dilations, starts = _padded(x, Filter, strides, paddings, padding_algorithm, dilations)
        if rank == 2 and x.shape[1] == 1:
            x = one_channel.channels_last(x)
        # Summed as the gradient of an elementwise_add is, so that both forms of a bias have the same gradient.
        bias_grad = unbroadcast(out_grad, Bias.shape, 1) if Bias is not None and needs[2] else None
        x_grad = filter_grad = None
        if needs[0] or needs[1]:
            x_grad, filter_grad, _ = convolution_backward(
                out_grad, x, Filter, None, strides, paddings, dilations, False, zeros, groups, [*needs[:2], False]
            )
        if x_grad is not None and starts is not None:
            x_grad = crop(x_grad, starts, sizes)
        return channels_last(x_grad) if last and x_grad is not None else x_grad, filter_grad, bias_grad

    conv_grad.postpones("Filter", reads="Input")


def _padded(
    x: Tensor, w: Tensor, strides: list[int], paddings: list[int], algorithm: str, dilations: list[int]
) -> tuple[Tensor, list[int], list[int], list[int] | None]:
    """The image, the padding left to the kernel, the dilations, and the offset of the image if it had to be padded."""
    sides = pad_sides(paddings, algorithm, x.shape[2:], w.shape[2:], strides)
    if algorithm == "SAME":
        dilations = [1] * len(dilations)  # Fluid: SAME ignores dilations
    starts = [before for before, _ in sides]
    if all(before == after >= 0 for before, after in sides):
        return x, starts, dilations, None
    return torch.nn.functional.pad(x, as_pad(sides)), [0] * len(sides), dilations, starts


def explain(
    x: Tensor, w: Tensor, bias: Tensor | None, strides: list[int], paddings: list[int], groups: int,
    dilations: list[int],
) -> None:  # fmt: skip
    """Raise the reason why ATen refused a convolution; called after the failure alone, so that others pay nothing."""
    rank = x.dim() - 2
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


_register("conv2d", 2, "NCHW")
_register("depthwise_conv2d", 2, "NCHW")  # Fluid's second name for groups == channels, which had kernels of its own
_register("conv3d", 3, "NCDHW")
