"""conv2d_transpose, depthwise_conv2d_transpose and conv3d_transpose: the transposed convolution."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
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
from refluid.ops.registry import FLOATS, Convolution, Tensor, op

convolution_backward = aten("convolution_backward")


_HINTS = "use_mkldnn use_cudnn workspace_size_MB"


def _register(type: str, rank: int) -> None:
    ones, zeros = [1] * rank, [0] * rank

    @op(
        "Output",
        type=type,
        dtypes={"Input": FLOATS, "Filter": FLOATS},
        fresh=True,
        convolution=Convolution(rank, transposed=True),
        grad_hints=_HINTS if rank == 3 else f"{_HINTS} is_test fuse_activation fuse_alpha fuse_beta fuse_relu",
    )
    def conv_transpose(
        Input: Tensor,
        Filter: Tensor,
        Bias: Tensor | None = None,
        *,
        output_size: list[int] = [],
        groups: int = 1,
        dilations: list[int] = ones,
        strides: list[int] = ones,
        paddings: list[int] = zeros,
        data_format: str = "NCHW",
        padding_algorithm: str = "EXPLICIT",
    ) -> Tensor:
        """Output = the gradient of a convolution with Filter [channels of Input, filters / groups, *window].

        A size is (n - 1) * stride + dilation * (window - 1) + 1 less the padding; `output_size` may be up to stride - 1
        cells larger.
        """
        _check(Input, Filter, Bias, rank, groups, dilations, strides, data_format)
        last = is_channels_last(data_format)
        x = channels_first(Input) if last else Input
        starts, sizes, paddings, extra, dilations = _geometry(
            x, Filter, output_size, dilations, strides, paddings, padding_algorithm
        )
        x, Filter = _divisible(x, Filter, groups)
        out = torch.convolution(x, Filter, Bias, strides, paddings, dilations, True, extra, groups)
        out = crop(out, starts, sizes)
        return channels_last(out) if last else out

    @conv_transpose.grad
    def conv_transpose_grad(
        Input: Tensor,
        Filter: Tensor,
        Bias: Tensor | None,
        Output_grad: Tensor,
        *,
        needs: tuple[bool, ...],
        output_size: list[int],
        groups: int,
        dilations: list[int],
        strides: list[int],
        paddings: list[int],
        data_format: str,
        padding_algorithm: str,
    ) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        last = is_channels_last(data_format)
        x, out_grad = (channels_first(Input), channels_first(Output_grad)) if last else (Input, Output_grad)
        starts, sizes, paddings, extra, dilations = _geometry(
            x, Filter, output_size, dilations, strides, paddings, padding_algorithm
        )
        full = [
            (n - 1) * s - 2 * p + d * (k - 1) + 1 + e
            for n, s, p, d, k, e in zip(x.shape[2:], strides, paddings, dilations, Filter.shape[2:], extra)
        ]
        if full != sizes:  # what the forward pass cropped
            sides = [(start, whole - start - size) for start, whole, size in zip(starts, full, sizes)]
            out_grad = torch.nn.functional.pad(out_grad, as_pad(sides))
        bias_sizes = None if Bias is None else Bias.shape
        mask = [needs[0], needs[1], Bias is not None and needs[2]]
        used, used_filter = _divisible(x, Filter, groups)
        x_grad, filter_grad, bias_grad = convolution_backward(
            out_grad, used, used_filter, bias_sizes, strides, paddings, dilations, True, extra, groups, mask
        )
        x_grad, filter_grad = _padded(x_grad, x, 1), _padded(filter_grad, Filter, 0)
        return channels_last(x_grad) if last and x_grad is not None else x_grad, filter_grad, bias_grad

    conv_transpose_grad.postpones("Filter", reads="Input")


def _divisible(x: Tensor, w: Tensor, groups: int) -> tuple[Tensor, Tensor]:
    """Input and Filter without the last channels if groups do not divide them: Fluid ignores those."""
    used = x.shape[1] // groups * groups
    return (x, w) if used == x.shape[1] else (x[:, :used], w[:used])


def _padded(grad: Tensor | None, like: Tensor, axis: int) -> Tensor | None:
    """A gradient with zeros for the ignored channels."""
    if grad is None or grad.shape == like.shape:
        return grad
    rest = list(like.shape)
    rest[axis] -= grad.shape[axis]
    return torch.cat([grad, grad.new_zeros(rest)], axis)


def _geometry(
    x: Tensor, w: Tensor, output_size: list[int], dilations: list[int], strides: list[int], paddings: list[int],
    algorithm: str,
) -> tuple[list[int], list[int], list[int], list[int], list[int]]:  # fmt: skip
    """The crop of torch's result (starts, sizes), and its padding, output padding and dilations."""
    sides = pad_sides(paddings, algorithm, x.shape[2:], w.shape[2:], strides)
    if algorithm == "SAME":
        dilations = [1] * len(dilations)  # Fluid: SAME ignores dilations
    sizes = [
        (n - 1) * s + d * (k - 1) + 1 - before - after
        for n, s, d, k, (before, after) in zip(x.shape[2:], strides, dilations, w.shape[2:], sides)
    ]
    if min(sizes) < 1:
        raise ShapeError(f"the paddings {sides} leave nothing of Output, whose sizes would be {sizes}")
    extra = [0] * len(sizes)
    if output_size:
        check_length("output_size", output_size, len(sizes))
        extra = [wanted - size for wanted, size in zip(output_size, sizes)]
        if not all(0 <= e < s for e, s in zip(extra, strides)):
            raise ArgumentError(
                f"output_size must be {sizes} or larger by less than strides {list(strides)}, got {list(output_size)}"
            )
        sizes = list(output_size)
    if all(before == after >= 0 for before, after in sides):
        return [0] * len(sizes), sizes, [before for before, _ in sides], extra, dilations
    # Padding of a transposed convolution cuts off its result; torch cuts both sides alike, so it cuts the smaller.
    even = [max(min(side), 0) for side in sides]
    starts = [before - p for (before, _), p in zip(sides, even)]
    # Where a negative padding asks for cells beyond the result, they are zeros that crop() adds.
    missing = [max(e - (after - p), 0) if after >= 0 else 0 for e, (_, after), p in zip(extra, sides, even)]
    return starts, sizes, even, missing, dilations


def _check(
    Input: Tensor, w: Tensor, bias: Tensor | None, rank: int, groups: int, dilations: list[int], strides: list[int],
    data_format: str,
) -> None:  # fmt: skip
    check_rank("Input", Input, rank + 2)
    check_rank("Filter", w, rank + 2)
    check_length("strides", strides, rank)
    check_length("dilations", dilations, rank)
    if min(strides) < 1 or min(dilations) < 1:
        raise ShapeError(f"strides and dilations must be positive, got {list(strides)} and {list(dilations)}")
    channels = Input.shape[-1 if is_channels_last(data_format) else 1]
    if channels != w.shape[0]:
        raise ShapeError(f"Input has {channels} channels, but Filter takes {w.shape[0]}")
    if not 1 <= groups <= channels:
        raise ShapeError(f"groups must be between 1 and the {channels} channels of Input, got {groups}")
    if bias is not None and list(bias.shape) != [w.shape[1] * groups]:
        raise ShapeError(f"Bias must have shape [{w.shape[1] * groups}], one number per filter, got {list(bias.shape)}")


_register("conv2d_transpose", 2)
_register("depthwise_conv2d_transpose", 2)  # Fluid's second name for groups == channels
_register("conv3d_transpose", 3)
