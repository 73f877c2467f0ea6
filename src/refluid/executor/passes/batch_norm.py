"""Folds a batch normalisation with given statistics into the convolution before it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch

from refluid.core.layout import as_channels_last
from refluid.executor.derived import Derived
from refluid.executor.passes.uses import Uses
from refluid.executor.step import Names, Step
from refluid.ops.nn.geometry import is_channels_last

_CONVOLUTIONS = {"conv2d", "depthwise_conv2d", "conv3d"}


def fold_batch_norms(
    steps: list[Step], fetches: set[str], persistable: Callable[[str], bool], derived: dict[str, Derived]
) -> list[Step]:
    """conv2d -> batch_norm becomes conv2d with another Filter and Bias, which are added to `derived`."""
    uses = Uses(steps, fetches)
    # A normalisation with given statistics writes them too, in programs; they stay what they are.
    written = {name for step in steps if not _is_given(step) for name in step.writes()}

    def constant(names: Names) -> bool:
        return all(name is not None and persistable(name) and name not in written for name in names)

    folded: dict[int, Step] = {}  # by the normalisation's identity
    gone: set[int] = set()
    for step in steps:
        if not _is_given(step) or not step.outputs[0] or any(step.outputs[3:]):  # nobody may read the result
            continue
        conv = uses.only_for(step.inputs[0][0])
        if conv is None or conv.op.type not in _CONVOLUTIONS or not _same_layout(conv, step):
            continue
        if all(map(constant, (*conv.inputs[1:], *step.inputs[1:5]))):
            folded[id(step)] = _folded(conv, step, derived)
            gone.add(id(conv))
    return [folded.get(id(step), step) for step in steps if id(step) not in gone]


def _is_given(step: Step) -> bool:
    """Whether it is a normalisation with the mean and the variance of the scope."""
    attrs = step.attrs
    return step.op.type in ("batch_norm", "sync_batch_norm") and bool(
        attrs.get("use_global_stats") or (attrs.get("is_test") and not attrs.get("trainable_statistics"))
    )


def _same_layout(conv: Step, norm: Step) -> bool:
    return is_channels_last(conv.attrs.get("data_format", "NCHW")) == is_channels_last(
        norm.attrs.get("data_layout", "NCHW")
    )


def _folded(conv: Step, norm: Step, derived: dict[str, Derived]) -> Step:
    (image,), (filters,), bias = conv.inputs
    scale, shift, mean, variance = (names[0] or "" for names in norm.inputs[1:5])
    epsilon = norm.attrs.get("epsilon", 1e-5)
    names = f"{norm.outputs[0][0]}@filter", f"{norm.outputs[0][0]}@bias"
    derived[names[0]] = Derived(partial(_fold_filter, epsilon=epsilon), (filters or "", scale, variance))
    derived[names[1]] = Derived(
        partial(_fold_bias, epsilon=epsilon), (shift, scale, mean, variance, *(name for name in bias if name))
    )
    return Step(conv.op, conv.operator, [[image], [names[0]], [names[1]]], norm.outputs[:1], conv.attrs)


def _fold_filter(filters: torch.Tensor, scale: torch.Tensor, variance: torch.Tensor, *, epsilon: float) -> torch.Tensor:
    factor = scale * torch.rsqrt(variance + epsilon)
    folded = filters * factor.to(filters.dtype).reshape(-1, *[1] * (filters.dim() - 1))
    return as_channels_last(folded) if folded.dim() == 4 else folded


def _fold_bias(
    shift: torch.Tensor,
    scale: torch.Tensor,
    mean: torch.Tensor,
    variance: torch.Tensor,
    bias: torch.Tensor | None = None,
    *,
    epsilon: float,
) -> torch.Tensor:
    offset = mean if bias is None else mean - bias
    return shift - offset * scale * torch.rsqrt(variance + epsilon)
