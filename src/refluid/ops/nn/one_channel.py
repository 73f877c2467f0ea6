"""Convolutions of images with a single channel on the CPU, such as the first layer of a digit recogniser.

oneDNN has no good kernel for the gradient of their filters: as a matrix product it takes a quarter of the time.
"""

from __future__ import annotations

import torch

from refluid.ops.registry import Tensor

ENOUGH = 8  # fewer filters make the matrix too narrow
DTYPES = (torch.float32, torch.float64)


def channels_last(x: Tensor) -> Tensor:
    """The same image [N, 1, H, W], in strides that say channels_last.

    Those of a single channel can be read either way and torch takes them for contiguous; this way the output has its
    channels last, as pooling and the next convolutions are fastest.
    """
    height, width = x.shape[2:]
    return x.as_strided(x.shape, (height * width, 1, width, 1)) if x.is_cpu and x.is_contiguous() else x


def is_faster(x: Tensor, w: Tensor) -> bool:
    return x.shape[1] == 1 and w.shape[0] >= ENOUGH and x.is_cpu and x.dtype in DTYPES


def filter_gradient(
    x: Tensor, w: Tensor, out_grad: Tensor, strides: list[int], paddings: list[int], dilations: list[int]
) -> Tensor:
    if any(paddings):
        x = torch.nn.functional.pad(x, [paddings[1], paddings[1], paddings[0], paddings[0]])
    x = x.contiguous()
    (n, filters, out_h, out_w), (height, width), (kernel_h, kernel_w) = out_grad.shape, x.shape[2:], w.shape[2:]
    places = n * out_h * out_w
    windows = x.as_strided(
        (kernel_h, kernel_w, n, out_h, out_w),
        (dilations[0] * width, dilations[1], height * width, strides[0] * width, strides[1]),
    )
    seen = windows.reshape(kernel_h * kernel_w, places)
    return torch.mm(seen, out_grad.permute(0, 2, 3, 1).reshape(places, filters)).t().reshape(w.shape)
