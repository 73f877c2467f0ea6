"""Computes in place where nothing else reads the input: a ReLU after a convolution writes over its input."""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.executor.step import Step
from refluid.ops.loss.softmax_with_cross_entropy import (
    grad_over_softmax,
    over_logits,
    softmax_with_cross_entropy,
)
from refluid.ops.registry import OpDef

# Operators whose gradient reads the output alone, so that the input may be written over.
_WITHOUT_ATTRIBUTES = {"relu": torch.relu_, "tanh": torch.tanh_, "sigmoid": torch.sigmoid_, "exp": torch.exp_}
_KERNELS: dict[str, Callable] = {**_WITHOUT_ATTRIBUTES, "softmax_with_cross_entropy": over_logits}

# Makers whose results are tensors of their own: not views of inputs, not inputs themselves.
FRESH = {
    "conv2d", "depthwise_conv2d", "conv2d_transpose", "conv3d", "mul", "mul_bias", "matmul", "batch_norm",
    "elementwise_add", "elementwise_sub", "elementwise_mul", "layer_norm", "group_norm", "instance_norm",
    "conv2d_packed", "pool2d", "relu", "softmax_with_cross_entropy",
}  # fmt: skip

# Not registered: it exists in plans only. It is told whether anybody comes back for its input.
_GradOverSoftmax = OpDef(
    grad_over_softmax, "Logits@GRAD", type="softmax_with_cross_entropy_grad_", lod=None, nograd="*"
)
_GradOverSoftmax.forward = softmax_with_cross_entropy


def compute_in_place(
    steps: list[Step], feeds: set[str], fetches: set[str], persistable: Callable[[str], bool]
) -> list[Step]:
    last, viewed = last_reads(steps)
    maker: dict[str, Step] = {}
    before: set[str] = set()  # what gradients that may be asked for twice read of the forward pass; see jit/split.py

    def free(name: str | None, i: int) -> bool:
        """Whether the i-th step, which reads this variable, may write over it."""
        return (
            name in maker
            and maker[name].op.type in FRESH
            and last[name] == i
            and name not in viewed
            and name not in feeds | fetches
            and not persistable(name)
        )

    for i, step in enumerate(steps):
        if step.op.type == "backward_begins":
            before = set(maker)
        elif step.op.type in _KERNELS and step.kernel is None:
            x = step.inputs[0][0]
            if free(x, i) and x not in before:
                step.kernel, step.label = _KERNELS[step.op.type], f"{step.op.type}_"
                if step.op.type in _WITHOUT_ATTRIBUTES:
                    step.attrs = {}
        elif step.op.type == "softmax_with_cross_entropy_grad" and step.kernel is None:
            softmax = step.inputs[step.op.input_index["Softmax"]][0]
            if free(softmax, i):
                step.op, step.label = _GradOverSoftmax, _GradOverSoftmax.type
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
