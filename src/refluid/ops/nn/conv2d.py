"""conv2d and depthwise_conv2d: the convolution of images."""

from __future__ import annotations

from refluid.ops.nn.convolution import Grads, convolve, convolve_grad
from refluid.ops.registry import FLOATS, Tensor, op


def conv2d_kernel(
    Input: Tensor,
    Filter: Tensor,
    Bias: Tensor | None = None,
    *,
    strides: list[int] = [1, 1],
    paddings: list[int] = [0, 0],
    padding_algorithm: str = "EXPLICIT",
    groups: int = 1,
    dilations: list[int] = [1, 1],
    data_format: str = "NCHW",
) -> Tensor:
    """Output = Input * Filter (+ Bias), for Input [N, C, H, W] and Filter [filters, C / groups, height, width]."""
    return convolve(
        2, Input, Filter, Bias, strides, paddings, padding_algorithm, groups, dilations, data_format
    )  # fmt: skip


def conv2d_grad_kernel(
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
) -> Grads:
    return convolve_grad(
        2, Input, Filter, Bias, Output_grad, needs, strides, paddings, padding_algorithm, groups, dilations,
        data_format,
    )  # fmt: skip


# Fluid has a second name for groups == channels, which had kernels of its own.
for _type in ("conv2d", "depthwise_conv2d"):
    op("Output", type=_type, dtypes={"Input": FLOATS, "Filter": FLOATS})(conv2d_kernel).grad(conv2d_grad_kernel)
