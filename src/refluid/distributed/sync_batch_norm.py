"""sync_batch_norm over several processes: statistics of the batches of all ranks, by two small sums a step.

A pass over plans gives the operator and its gradient these kernels; without other ranks they are the ordinary ones.
"""

from __future__ import annotations

from typing import Any

import torch

from refluid.distributed import ring as rings
from refluid.distributed.ring import Ring
from refluid.executor import passes
from refluid.executor.graph.region import Graph, all_nodes
from refluid.ops import registry
from refluid.ops.nn.geometry import channels_first, channels_last, is_channels_last
from refluid.ops.registry import Tensor

FORWARD = registry.get("sync_batch_norm")
BACKWARD = registry.get("sync_batch_norm_grad")


def share_statistics(graph: Graph) -> None:
    for node in all_nodes(graph):
        if node.op is FORWARD:
            node.kernel = sync_batch_norm
        elif node.op is BACKWARD:
            node.kernel = sync_batch_norm_grad


def _others(attrs: dict[str, Any]) -> Ring | None:
    """The ring of the trainers, where the statistics are theirs together."""
    ring = rings.find(0)
    own = attrs.get("use_global_stats") or (attrs.get("is_test") and not attrs.get("trainable_statistics"))
    return None if own or ring is None or ring.size == 1 else ring


def sync_batch_norm(
    X: Tensor, Scale: Tensor, Bias: Tensor, Mean: Tensor, Variance: Tensor, MomentumTensor: Tensor | None = None,
    **attrs: Any,
) -> tuple[Tensor | None, ...]:  # fmt: skip
    """Y = Scale * (X - mean) / sqrt(variance + epsilon) + Bias with mean and variance over the batches of all ranks."""
    ring = _others(attrs)
    if ring is None:
        return FORWARD.kernel(X, Scale, Bias, Mean, Variance, MomentumTensor, **attrs)
    last = is_channels_last(attrs.get("data_layout", "NCHW"))
    epsilon = attrs.get("epsilon", 1e-5)
    x = channels_first(X) if last else X
    axes = (0, *range(2, x.dim()))
    wide = x.double()
    mean, square = _means(ring, wide.sum(axes), wide.square().sum(axes), x)
    variance = square - mean.square()
    inverse = (variance + epsilon).rsqrt()
    shape = (1, -1, *(1,) * (x.dim() - 2))
    gain = (Scale.double() * inverse).reshape(shape)
    y = ((wide - mean.reshape(shape)) * gain + Bias.double().reshape(shape)).to(x.dtype)
    rate = 1.0 - (attrs.get("momentum", 0.9) if MomentumTensor is None else float(MomentumTensor.flatten()[0]))
    Mean.lerp_(mean.to(Mean.dtype), rate)
    Variance.lerp_(variance.to(Variance.dtype), rate)
    saved = mean.to(Mean.dtype), inverse.to(Variance.dtype)
    return channels_last(y) if last else y, Mean, Variance, *saved, None


def sync_batch_norm_grad(
    X: Tensor, Scale: Tensor, Bias: object, SavedMean: Tensor, SavedVariance: Tensor, Y_grad: Tensor, **attrs: Any
) -> tuple[Tensor | None, ...]:
    """The gradients of X, over the batches of all ranks, and of Scale and Bias over this rank's."""
    ring = _others(attrs)
    if ring is None:
        return BACKWARD.kernel(X, Scale, Bias, SavedMean, SavedVariance, Y_grad, **attrs)
    last = is_channels_last(attrs.get("data_layout", "NCHW"))
    x, y_grad = (channels_first(X), channels_first(Y_grad)) if last else (X, Y_grad)
    axes, shape = (0, *range(2, x.dim())), (1, -1, *(1,) * (x.dim() - 2))
    inverse = SavedVariance.double().reshape(shape)
    normalised = (x.double() - SavedMean.double().reshape(shape)) * inverse
    grad = y_grad.double()
    bias_grad, scale_grad = grad.sum(axes), (grad * normalised).sum(axes)
    mean, along = _means(ring, bias_grad, scale_grad, x)
    gain = Scale.double().reshape(shape) * inverse
    x_grad = (gain * (grad - mean.reshape(shape) - normalised * along.reshape(shape))).to(x.dtype)
    return channels_last(x_grad) if last else x_grad, scale_grad.to(Scale.dtype), bias_grad.to(Scale.dtype)


def _means(ring: Ring, first: Tensor, second: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Two sums per channel over all ranks, each divided by the number of elements per channel."""
    channels = x.shape[1]
    count = first.new_tensor([x.numel() / channels])
    total = torch.cat([first, second, count])
    ring.all_reduce(total, what="statistics of a batch norm", agreed=True).wait()
    return total[:channels] / total[-1], total[channels:-1] / total[-1]


passes.of_other_folders.append(share_statistics)
