"""deformable_conv and deformable_conv_v1: convolutions with a learned offset per window cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.nn.geometry import check_rank
from refluid.ops.registry import FLOATS, Tensor, op

BILINEAR, ZEROS = 0, 0  # how ATen numbers these modes
HINTS = {"im2col_step": "INT"}  # Fluid's batch size


@op("Output", dtypes={"Input": FLOATS, "Filter": FLOATS}, extra_attrs=HINTS, grad_hints="im2col_step")
def deformable_conv(
    Input: Tensor,
    Offset: Tensor,
    Mask: Tensor,
    Filter: Tensor,
    *,
    strides: list[int] = [1, 1],
    paddings: list[int] = [0, 0],
    dilations: list[int] = [1, 1],
    groups: int = 1,
    deformable_groups: int = 1,
) -> Tensor:
    """Output = a convolution whose window cell k is shifted by `Offset` at each position and multiplied by `Mask`.

    Offset is [N, deformable_groups * cells * 2 (y, x), H, W] and Mask [N, deformable_groups * cells, H, W] of Output.
    """
    return _deformed(Input, Offset, Mask, Filter, strides, paddings, dilations, groups, deformable_groups)


@op("Output", dtypes={"Input": FLOATS, "Filter": FLOATS}, extra_attrs=HINTS, grad_hints="im2col_step")
def deformable_conv_v1(
    Input: Tensor,
    Offset: Tensor,
    Filter: Tensor,
    *,
    strides: list[int] = [1, 1],
    paddings: list[int] = [0, 0],
    dilations: list[int] = [1, 1],
    groups: int = 1,
    deformable_groups: int = 1,
) -> Tensor:
    """deformable_conv without a mask."""
    return _deformed(Input, Offset, None, Filter, strides, paddings, dilations, groups, deformable_groups)


def _out_sizes(
    x: Sequence[int], kernel: Sequence[int], strides: list[int], paddings: list[int], dilations: list[int]
) -> list[int]:
    """Height and width of the result; -1 where that of x is unknown."""
    return [
        -1 if size < 0 else (size + 2 * p - d * (k - 1) - 1) // s + 1
        for size, p, d, k, s in zip(x[2:], paddings, dilations, kernel, strides)
    ]


def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Any] | None:
    """Where sizes are unknown, those of Offset and Mask are checked at run time."""
    x, w = inputs[0], inputs[-1]
    if len(x.shape) != 4 or len(w.shape) != 4 or -1 not in {n for spec in inputs if spec for n in spec.shape[1:]}:
        return None
    sizes = _out_sizes(x.shape, w.shape[2:], attrs["strides"], attrs["paddings"], attrs["dilations"])
    return [((x.shape[0], w.shape[0], *sizes), x.dtype)]


deformable_conv.infer(_infer)
deformable_conv_v1.infer(_infer)


def _deformed(
    x: Tensor, offset: Tensor, mask: Tensor | None, w: Tensor, strides: list[int], paddings: list[int],
    dilations: list[int], groups: int, parts: int,
) -> Tensor:  # fmt: skip
    check_rank("Input", x, 4)
    check_rank("Filter", w, 4)
    n, channels, height, width = x.shape
    if channels != w.shape[1] * groups or w.shape[0] % groups or channels % parts:
        raise ShapeError(
            f"Input has {channels} channels, but Filter {list(w.shape)} takes {w.shape[1] * groups} "
            f"(groups={groups}, deformable_groups={parts})"
        )
    kernel = w.shape[2:]
    out_h, out_w = _out_sizes(x.shape, kernel, strides, paddings, dilations)
    cells = kernel[0] * kernel[1]
    if offset.shape != (n, parts * cells * 2, out_h, out_w):
        raise ShapeError(f"Offset must have shape {[n, parts * cells * 2, out_h, out_w]}, got {list(offset.shape)}")
    if mask is not None and mask.shape != (n, parts * cells, out_h, out_w):
        raise ShapeError(f"Mask must have shape {[n, parts * cells, out_h, out_w]}, got {list(mask.shape)}")

    def places(axis: int, out_size: int) -> Tensor:
        """The coordinates of an undeformed window: [cells of the kernel on this axis, size of Output on this axis]."""
        start = torch.arange(out_size, device=x.device) * strides[axis] - paddings[axis]
        return start + (torch.arange(kernel[axis], device=x.device) * dilations[axis]).unsqueeze(1)

    bend = offset.reshape(n * parts, kernel[0], kernel[1], 2, out_h, out_w)
    y = bend[:, :, :, 0] + places(0, out_h)[:, None, :, None]
    z = bend[:, :, :, 1] + places(1, out_w)[None, :, None, :]
    # As grid_sampler counts, from -1 to 1 over the whole image, cells having a width.
    grid = torch.stack([(2 * z + 1) / width - 1, (2 * y + 1) / height - 1], -1).reshape(
        n * parts, cells * out_h, out_w, 2
    )
    images = x.reshape(n * parts, channels // parts, height, width)
    seen = torch.grid_sampler_2d(images, grid, BILINEAR, ZEROS, False)
    seen = seen.reshape(n, parts, channels // parts, cells, out_h * out_w)
    if mask is not None:
        seen = seen * mask.reshape(n, parts, 1, cells, out_h * out_w)
    columns = seen.reshape(n, groups, channels // groups * cells, out_h * out_w)
    return torch.matmul(w.reshape(groups, w.shape[0] // groups, -1), columns).reshape(n, w.shape[0], out_h, out_w)
