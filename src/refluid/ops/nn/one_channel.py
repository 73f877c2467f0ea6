"""Convolutions of images with a single channel on the CPU, such as the first layer of a digit recogniser."""

from __future__ import annotations

from refluid.ops.registry import Tensor


def channels_last(x: Tensor) -> Tensor:
    """The same image [N, 1, H, W], in strides that say channels_last.

    Those of a single channel can be read either way and torch takes them for contiguous. This way the output has its
    channels last, as pooling and the next convolutions are fastest, and oneDNN computes the gradient of the filters in
    half of the time: a gradient with the channels last need not be copied.
    """
    height, width = x.shape[2:]
    return x.as_strided(x.shape, (height * width, 1, width, 1)) if x.is_cpu and x.is_contiguous() else x
