"""channels_last strides that torch cannot mistake for contiguous ones.

A tensor with one channel, or of 1 x 1 images, is both contiguous and channels_last; torch then takes it for contiguous
and computes the convolution several times slower. So the strides are always set as channels_last has them.
"""

from __future__ import annotations

import torch


def as_channels_last(t: torch.Tensor) -> torch.Tensor:
    """The same values [N, C, H, W] with channels_last strides; itself if it has them, a view where that is possible."""
    _, c, h, w = t.shape
    strides = (h * w * c, 1, w * c, c)
    if t.stride() == strides:
        return t
    return t.contiguous(memory_format=torch.channels_last).as_strided(t.shape, strides)
