"""Computes in place where nothing else reads the input: a ReLU after a convolution writes over its input."""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.executor.step import Step

# Operators whose gradient reads the output alone, so that the input may be written over.
_KERNELS: dict[str, Callable] = {"relu": torch.relu_, "tanh": torch.tanh_, "sigmoid": torch.sigmoid_, "exp": torch.exp_}

# Makers whose results are tensors of their own: not views of inputs, not inputs themselves.
_FRESH = {
    "conv2d", "depthwise_conv2d", "conv2d_transpose", "conv3d", "mul", "mul_bias", "matmul", "batch_norm",
    "elementwise_add", "elementwise_sub", "elementwise_mul", "layer_norm", "group_norm", "instance_norm",
}  # fmt: skip


def compute_in_place(
    steps: list[Step], feeds: set[str], fetches: set[str], persistable: Callable[[str], bool]
) -> list[Step]:
    last: dict[str, int] = {}
    maker: dict[str, Step] = {}
    for i, step in enumerate(steps):
        for name in step.value_reads():
            last[name] = i
    for i, step in enumerate(steps):
        kernel = _KERNELS.get(step.op.type)
        if kernel is not None and step.kernel is None:
            x = step.inputs[0][0] or ""
            made_by = maker.get(x)
            if (
                made_by is not None
                and made_by.op.type in _FRESH
                and last[x] == i
                and x not in feeds | fetches
                and not persistable(x)
            ):
                step.kernel, step.label = kernel, f"{step.op.type}_"
                step.attrs = {}
        for name in step.writes():
            maker[name] = step
    return steps
