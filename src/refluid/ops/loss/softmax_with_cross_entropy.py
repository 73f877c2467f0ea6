"""softmax_with_cross_entropy: softmax and the cross entropy of it, in one numerically stable step."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.activation.softmax import LOWEST_EXPONENT, bounded, has_bound
from refluid.ops.infer import Spec
from refluid.ops.loss.labels import class_index, column_of, same_shape
from refluid.ops.registry import FLOATS, Tensor, op

MANY = 1 << 16  # number of logits from which the passes over memory cost more than the calls


@op(
    "Softmax Loss",
    lod="Logits",
    dtypes={"Logits": FLOATS},
    nograd="Label",
    intermediate="Softmax",
    fresh=True,
    late="Logits",
)
def softmax_with_cross_entropy(
    Logits: Tensor,
    Label: Tensor,
    *,
    soft_label: bool = False,
    numeric_stable_mode: bool = True,  # the unstable mode gives the same numbers where it does not overflow
    ignore_index: int = -100,
    axis: int = -1,
) -> tuple[Tensor, Tensor]:
    """Loss = -log(softmax(Logits)[label]) along `axis`, or -sum(Label * log(softmax(Logits))) for soft labels."""
    return _both(Logits, Label, soft_label, ignore_index, axis, None)


@softmax_with_cross_entropy.over
def over_logits(
    Logits: Tensor,
    Label: Tensor,
    *,
    soft_label: bool = False,
    numeric_stable_mode: bool = True,
    ignore_index: int = -100,
    axis: int = -1,
) -> tuple[Tensor, Tensor]:
    """The same, where nothing reads Logits any more: with a large vocabulary, Softmax reuses their memory."""
    return _both(Logits, Label, soft_label, ignore_index, axis, Logits)


def _both(
    Logits: Tensor, Label: Tensor, soft_label: bool, ignore_index: int, axis: int, into: Tensor | None
) -> tuple[Tensor, Tensor]:
    if not -Logits.dim() <= axis < Logits.dim():
        raise ArgumentError(f"axis must be in [{-Logits.dim()}, {Logits.dim()}) for Logits of that rank, got {axis}")
    if soft_label:
        log_p = _log_softmax(Logits, axis)
        same_shape(Logits, Label, "Logits Label")
        # A logit of -inf whose label is 0 adds nothing to the loss.
        loss = -(Label * log_p.clamp(min=torch.finfo(log_p.dtype).min)).sum(axis, keepdim=True)
        return log_p.exp(), loss
    label = column_of(Label, Logits.shape, axis, "Logits")
    index, ignored = class_index(label, Logits.shape[axis], ignore_index, "Logits")
    softmax, loss = _of_labels(Logits, index, axis, into)
    return softmax, loss if ignored is None else loss.masked_fill(ignored, 0)


def _of_labels(logits: Tensor, index: Tensor, axis: int, into: Tensor | None) -> tuple[Tensor, Tensor]:
    if logits.numel() < MANY or logits.requires_grad:  # as in the replay for gradients of gradients
        log_p = _log_softmax(logits, axis)
        return log_p.exp(), -log_p.gather(axis, index)
    # Exponentials and logarithms cost most: there is one exponential per logit and one logarithm per row.
    if logits.is_cpu:  # where the bound keeps every probability above the smallest float
        softmax = bounded(torch.softmax(logits, axis, out=into), axis)
        return softmax, softmax.gather(axis, index).log_().neg_()
    margin = logits.amax(axis, keepdim=True) - logits.gather(axis, index)
    softmax = torch.softmax(logits, axis, out=into)
    return softmax, margin.sub_(softmax.amax(axis, keepdim=True).log_())


def _log_softmax(logits: Tensor, axis: int) -> Tensor:
    """The logarithm of softmax, with its lower bound on CPUs (ops/activation/softmax.py)."""
    log_p = torch.log_softmax(logits, axis)
    if not has_bound(log_p) or torch.amin(log_p).item() >= LOWEST_EXPONENT:
        return log_p
    return torch.maximum(log_p, log_p.amax(axis, keepdim=True) + LOWEST_EXPONENT, out=log_p)


@softmax_with_cross_entropy.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec] | None:
    logits, label = inputs
    rank = len(logits.shape)
    if attrs["axis"] not in (-1, rank - 1) or len(label.shape) != rank:
        return None
    expected = (*logits.shape[:-1], logits.shape[-1] if attrs["soft_label"] else 1)
    if any(a != b and a >= 0 and b >= 0 for a, b in zip(label.shape, expected, strict=True)):
        return None
    rows = tuple(max(a, b) for a, b in zip(label.shape[:-1], logits.shape[:-1], strict=True))  # -1: known to neither
    return [Spec((*rows, logits.shape[-1]), logits.dtype), Spec((*rows, 1), logits.dtype)]


@softmax_with_cross_entropy.grad(once=True)
def softmax_with_cross_entropy_grad(
    Label: Tensor, Softmax: Tensor, Loss_grad: Tensor, *, soft_label: bool, ignore_index: int, axis: int
) -> Tensor:
    return _grad(Label, Softmax, Loss_grad, soft_label, ignore_index, axis, None)


def grad_over_softmax(
    Label: Tensor, Softmax: Tensor, Loss_grad: Tensor, *, soft_label: bool, ignore_index: int, axis: int, last: bool
) -> Tensor:
    """The same, where nothing reads Softmax any more: the gradient reuses its memory."""
    return _grad(Label, Softmax, Loss_grad, soft_label, ignore_index, axis, Softmax if last else None)


def _grad(
    Label: Tensor, Softmax: Tensor, Loss_grad: Tensor, soft_label: bool, ignore_index: int, axis: int,
    into: Tensor | None,
) -> Tensor:  # fmt: skip
    if soft_label:
        # As in Fluid, soft labels are taken to sum to 1.
        return torch.mul(torch.sub(Softmax, Label, out=into), Loss_grad, out=into)
    label = column_of(Label, Softmax.shape, axis, "Logits")
    index, ignored = class_index(label, Softmax.shape[axis], ignore_index, "Logits")
    loss_grad = Loss_grad if Loss_grad.shape == label.shape else Loss_grad.reshape(label.shape)
    if ignored is not None:
        loss_grad = loss_grad.masked_fill(ignored, 0)
    return torch.mul(Softmax, loss_grad, out=into).scatter_add_(axis, index, -loss_grad)
