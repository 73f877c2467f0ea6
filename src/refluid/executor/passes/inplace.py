"""Computes in place where nothing else reads the input: a ReLU after a convolution writes over its input."""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.executor.step import Step
from refluid.ops.loss.softmax_with_cross_entropy import over_logits

# Operators whose gradient reads the output alone, so that the input may be written over.
_WITHOUT_ATTRIBUTES = {"relu": torch.relu_, "tanh": torch.tanh_, "sigmoid": torch.sigmoid_, "exp": torch.exp_}
_KERNELS: dict[str, Callable] = {**_WITHOUT_ATTRIBUTES, "softmax_with_cross_entropy": over_logits}

# Makers whose results are tensors of their own: not views of inputs, not inputs themselves.
FRESH = {
    "conv2d", "depthwise_conv2d", "conv2d_transpose", "conv3d", "mul", "mul_bias", "matmul", "batch_norm",
    "elementwise_add", "elementwise_sub", "elementwise_mul", "layer_norm", "group_norm", "instance_norm",
    "conv2d_packed", "pool2d", "relu",
}  # fmt: skip


def compute_in_place(
    steps: list[Step], feeds: set[str], fetches: set[str], persistable: Callable[[str], bool]
) -> list[Step]:
    last, viewed = last_reads(steps)
    maker: dict[str, Step] = {}
    for i, step in enumerate(steps):
        kernel = _KERNELS.get(step.op.type)
        if kernel is not None and step.kernel is None:
            x = step.inputs[0][0] or ""
            made_by = maker.get(x)
            if (
                made_by is not None
                and made_by.op.type in FRESH
                and last[x] == i
                and x not in viewed
                and x not in feeds | fetches
                and not persistable(x)
            ):
                step.kernel, step.label = kernel, f"{step.op.type}_"
                if step.op.type in _WITHOUT_ATTRIBUTES:
                    step.attrs = {}
        for name in step.writes():
            maker[name] = step
    return steps


def last_reads(steps: list[Step]) -> tuple[dict[str, int], set[str]]:
    """Where each variable is read last, and the variables of which there may be a view by then (a reshape's result)."""
    last: dict[str, int] = {}
    viewed: set[str] = set()
    viewers: set[str] = set()
    for i, step in enumerate(steps):
        for name in step.value_reads():
            if name in viewers:
                viewed.add(name)
            if step.op.type not in FRESH:
                viewers.add(name)
            last[name] = i
    return last, viewed
