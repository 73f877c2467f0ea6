"""Losses of classes and of numbers."""

from __future__ import annotations

from typing import Any

from refluid.core import mode
from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.numbers import need_variable
from refluid.layers.reduce import reduce_mean
from refluid.ops import registry
from refluid.ops.loss.cross_entropy import cross_entropy as soft_cross_entropy_op, cross_entropy2 as cross_entropy_op
from refluid.ops.loss.softmax_with_cross_entropy import softmax_with_cross_entropy as softmax_with_cross_entropy_op
from refluid.ops.math.elementwise import elementwise_sub

IGNORE = -100  # a label that counts nothing, by default


def cross_entropy(input: Any, label: Any, soft_label: bool = False, ignore_index: int = IGNORE) -> Any:
    """-log of the probability given to the label.

    Args:
        input: probabilities [..., classes], as softmax gives them.
        label: int64 [..., 1], or with soft_label probabilities of the input's shape.
        ignore_index: this label costs nothing.
    Returns:
        The cost of each sample, [..., 1].
    """
    if soft_label:
        return soft_cross_entropy_op(input, label, soft_label=True, ignore_index=ignore_index)
    return cross_entropy_op(input, label, ignore_index=ignore_index)[0]


def softmax_with_cross_entropy(
    logits: Any,
    label: Any,
    soft_label: bool = False,
    ignore_index: int = IGNORE,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    """cross_entropy(softmax(logits), label) in one, fast and safe from overflow.

    Args:
        logits: [..., classes, ...], with the classes along `axis`.
        label: int64 with 1 along `axis`, or with soft_label probabilities of the logits' shape.
        numeric_stable_mode: accepted; the safe way is always taken.
        return_softmax: also return the probabilities.
    Returns:
        The cost, with 1 along `axis`; with return_softmax, (cost, probabilities).
    """
    softmax, loss = softmax_with_cross_entropy_op(
        logits, label, soft_label=soft_label, ignore_index=ignore_index, numeric_stable_mode=numeric_stable_mode,
        axis=axis,
    )  # fmt: skip
    return (loss, softmax) if return_softmax else loss


def sigmoid_cross_entropy_with_logits(
    x: Any, label: Any, ignore_index: int = IGNORE, name: str | None = None, normalize: bool = False
) -> Any:
    """The cost of independent yes-or-no answers.

    Args:
        x: logits [N, D].
        label: how much of a yes it is, 0 to 1, [N, D].
        normalize: divide by the number of labels that are not ignored.
    Returns:
        [N, D].
    """
    return registry.get("sigmoid_cross_entropy_with_logits")(
        x, label, name=name, ignore_index=ignore_index, normalize=normalize
    )


def square_error_cost(input: Any, label: Any) -> Any:
    """(input - label) ** 2, of the input's shape."""
    layer = LayerName("square_error_cost")
    return registry.get("square")(elementwise_sub(input, label, name=layer), name=layer)


def mse_loss(input: Any, label: Any) -> Any:
    """The mean of (input - label) ** 2, [1]."""
    return reduce_mean(square_error_cost(input, label))


def smooth_l1(x: Any, y: Any, inside_weight: Any = None, outside_weight: Any = None, sigma: float | None = None) -> Any:
    """Per sample the sum of a distance that is square near 0 and linear far away (Girshick, 2015).

    Args:
        x, y: [N, ...].
        inside_weight: multiplies the differences; outside_weight the distances. Both have x's shape.
        sigma: the distance is linear from 1 / sigma ** 2 on.
    Returns:
        [N, 1].
    """
    _, loss = registry.get("smooth_l1_loss")(
        x, y, inside_weight, outside_weight, sigma=1.0 if sigma is None else float(sigma)
    )
    return loss


def huber_loss(input: Any, label: Any, delta: float) -> Any:
    """0.5 * d ** 2 for a difference d up to delta, linear beyond; of the input's shape."""
    _, out = registry.get("huber_loss")(input, label, delta=delta)
    return out


def kldiv_loss(x: Any, target: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """target * (log(target) - x): the divergence of probabilities from log-probabilities x.

    Args:
        reduction: "none" keeps the shape; "mean", "sum" and "batchmean" (the sum over the batch size) give [1].
    """
    if reduction not in ("none", "mean", "sum", "batchmean"):
        raise ArgumentError(f"kldiv_loss: reduction must be 'none', 'mean', 'sum' or 'batchmean', got {reduction!r}")
    return registry.get("kldiv_loss")(x, target, name=name, reduction=reduction)


def log_loss(input: Any, label: Any, epsilon: float = 0.0001, name: str | None = None) -> Any:
    """-label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon), [N, 1]."""
    return registry.get("log_loss")(input, label, name=name, epsilon=float(epsilon))


def label_smooth(
    label: Any, prior_dist: Any = None, epsilon: float = 0.1, dtype: Any = "float32", name: str | None = None
) -> Any:
    """(1 - epsilon) * label + epsilon * prior: labels that are less sure (Szegedy et al., 2015).

    Args:
        label: [..., classes], one-hot.
        prior_dist: [1, classes]; equal for all classes by default.
        dtype: of the result; the label's own dtype is kept where it is a floating one.
    """
    need_variable("label_smooth: label", label)
    if not 0.0 <= epsilon <= 1.0:
        raise ArgumentError(f"label_smooth: epsilon must lie in [0, 1], got {epsilon}")
    if not mode.current.imperative:  # as in Fluid: imperative labels pass gradients on, if they ask for them
        label.stop_gradient = True
    return registry.get("label_smooth")(label, prior_dist, name=name, epsilon=float(epsilon))


kIgnoreIndex = -100  # the label that stands for none


def cross_entropy2(input: Any, label: Any, ignore_index: int = kIgnoreIndex) -> Any:
    """The cross entropy of hard labels, by the operator that keeps the matched probabilities for its gradient."""
    return cross_entropy_op(input, label, ignore_index=ignore_index, name=LayerName("cross_entropy2"))[0]
