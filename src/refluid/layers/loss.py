"""Losses of classification and regression."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.mode import per_mode
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable
from refluid.layers.reduce import reduce_mean
from refluid.ops import registry
from refluid.ops.loss.cross_entropy import cross_entropy as soft_cross_entropy_op, cross_entropy2 as cross_entropy_op
from refluid.ops.loss.softmax_with_cross_entropy import softmax_with_cross_entropy as softmax_with_cross_entropy_op
from refluid.ops.math.elementwise import elementwise_sub

IGNORE = -100  # the label that is ignored by default


def cross_entropy(
    input: BaseVariable, label: BaseVariable, soft_label: bool = False, ignore_index: int = IGNORE
) -> BaseVariable:
    """Cross entropy: -log(input[label]), or -sum(label * log(input)) with soft labels.

    Args:
        input: float probabilities [..., classes], the output of softmax.
        label: int64 [..., 1], or with soft_label float probabilities of the shape of input.
        soft_label: whether labels are probabilities.
        ignore_index: a label with loss 0; only for hard labels.

    Returns:
        The loss of every sample, [..., 1].

    Example:
        >>> probabilities = fluid.layers.softmax(fluid.data("x", [None, 10]))
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> fluid.layers.cross_entropy(probabilities, label).shape
        (-1, 1)
    """
    if soft_label:
        return soft_cross_entropy_op(input, label, soft_label=True, ignore_index=ignore_index)
    return cross_entropy_op(input, label, ignore_index=ignore_index)[0]


def softmax_with_cross_entropy(
    logits: BaseVariable,
    label: BaseVariable,
    soft_label: bool = False,
    ignore_index: int = IGNORE,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    """cross_entropy(softmax(logits), label) in one operator, without overflow.

    Args:
        logits: float [..., classes, ...], with the classes along `axis`.
        label: int64 with size 1 along `axis`, or with soft_label probabilities of the shape of logits.
        soft_label: whether labels are probabilities.
        ignore_index: a label with loss 0; only for hard labels.
        numeric_stable_mode: accepted; the stable computation is always used.
        return_softmax: also return the probabilities.
        axis: the axis of the classes.

    Returns:
        The loss, with size 1 along `axis`; with return_softmax, (loss, probabilities).

    Example:
        >>> logits, label = fluid.data("x", [None, 10]), fluid.data("label", [None, 1], "int64")
        >>> fluid.layers.softmax_with_cross_entropy(logits, label).shape
        (-1, 1)
    """
    softmax, loss = softmax_with_cross_entropy_op(
        logits, label, soft_label=soft_label, ignore_index=ignore_index, numeric_stable_mode=numeric_stable_mode,
        axis=axis,
    )  # fmt: skip
    return (loss, softmax) if return_softmax else loss


def sigmoid_cross_entropy_with_logits(
    x: BaseVariable, label: BaseVariable, ignore_index: int = IGNORE, name: str | None = None, normalize: bool = False
) -> BaseVariable:
    """max(x, 0) - x * label + log(1 + exp(-|x|)): the cross entropy of independent binary labels.

    Args:
        x: float logits [N, D].
        label: float labels from 0 to 1, [N, D].
        ignore_index: a label with loss 0.
        normalize: divide by the number of labels that are not ignored.

    Returns:
        The loss of every element, [N, D].

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([[0.0, 200.0]], "float32"))
        ...     label = fluid.dygraph.to_variable(np.array([[1.0, 0.0]], "float32"))
        ...     fluid.layers.sigmoid_cross_entropy_with_logits(x, label).numpy().tolist()
        [[0.69..., 200.0]]
    """
    return registry.get("sigmoid_cross_entropy_with_logits")(
        x, label, name=name, ignore_index=ignore_index, normalize=normalize
    )


def square_error_cost(input: BaseVariable, label: BaseVariable) -> BaseVariable:
    """(input - label)^2, element by element.

    Args:
        input: a float variable of any shape.
        label: a variable of the shape and dtype of input.

    Returns:
        A variable of the shape of input.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([1.0, 2.0], "float32"))
        ...     fluid.layers.square_error_cost(x, x * 3.0).numpy().tolist()
        [4.0, 16.0]
    """
    layer = LayerName("square_error_cost")
    return registry.get("square")(elementwise_sub(input, label, name=layer), name=layer)


def mse_loss(input: BaseVariable, label: BaseVariable) -> BaseVariable:
    """The mean of (input - label)^2 over all elements.

    Args:
        input: a float variable of any shape.
        label: a variable of the shape and dtype of input.

    Returns:
        A variable [1].
    """
    return reduce_mean(square_error_cost(input, label))


def smooth_l1(
    x: BaseVariable,
    y: BaseVariable,
    inside_weight: BaseVariable | None = None,
    outside_weight: BaseVariable | None = None,
    sigma: float | None = None,
) -> BaseVariable:
    """Smooth L1 loss, summed per sample (Girshick, 2015).

    With d = inside_weight * (x - y): 0.5 * (sigma * d)^2 where |d| < 1 / sigma^2, |d| - 0.5 / sigma^2 elsewhere, times
    outside_weight.

    Args:
        x: float predictions [N, ...].
        y: float targets of the shape of x.
        inside_weight: the weight of the differences, float and of the shape of x; None for 1.
        outside_weight: the weight of the losses, float and of the shape of x; None for 1.
        sigma: see the formula; None for 1.0.

    Returns:
        The loss of every sample, [N, 1].

    Example:
        >>> x, y = fluid.data("x", [None, 4]), fluid.data("y", [None, 4])
        >>> fluid.layers.smooth_l1(x, y).shape
        (-1, 1)
    """
    _, loss = registry.get("smooth_l1_loss")(
        x, y, inside_weight, outside_weight, sigma=1.0 if sigma is None else float(sigma)
    )
    return loss


def huber_loss(input: BaseVariable, label: BaseVariable, delta: float) -> BaseVariable:
    """Huber loss of d = label - input: 0.5 * d^2 where |d| <= delta, delta * (|d| - 0.5 * delta) elsewhere.

    Args:
        input: float predictions [N, 1].
        label: float targets of the shape of input.
        delta: the bound between the square and the linear part.

    Returns:
        A variable of the shape of input.
    """
    _, out = registry.get("huber_loss")(input, label, delta=delta)
    return out


def kldiv_loss(x: BaseVariable, target: BaseVariable, reduction: str = "mean", name: str | None = None) -> BaseVariable:
    """The Kullback-Leibler divergence: target * (log(target) - x), element by element; 0 where target is not positive.

    Args:
        x: float log-probabilities of any shape.
        target: float probabilities of the shape of x.
        reduction: "none" keeps the shape; "mean", "sum" and "batchmean" (the sum divided by the batch size) give [1].

    Returns:
        A variable of the shape of x, or [1].
    """
    if reduction not in ("none", "mean", "sum", "batchmean"):
        raise ArgumentError(f"kldiv_loss: reduction must be 'none', 'mean', 'sum' or 'batchmean', got {reduction!r}")
    return registry.get("kldiv_loss")(x, target, name=name, reduction=reduction)


def log_loss(
    input: BaseVariable, label: BaseVariable, epsilon: float = 0.0001, name: str | None = None
) -> BaseVariable:
    """-label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon): the log loss of binary labels.

    Args:
        input: float probabilities [N, 1].
        label: float labels 0 or 1, [N, 1].
        epsilon: keeps the logarithms finite.

    Returns:
        The loss of every sample, [N, 1].

    Example:
        >>> p, label = fluid.data("p", [None, 1]), fluid.data("label", [None, 1])
        >>> fluid.layers.log_loss(p, label).shape
        (-1, 1)
    """
    return registry.get("log_loss")(input, label, name=name, epsilon=float(epsilon))


def label_smooth(
    label: BaseVariable,
    prior_dist: BaseVariable | None = None,
    epsilon: float = 0.1,
    dtype: Dtype = "float32",
    name: str | None = None,
) -> BaseVariable:
    """(1 - epsilon) * label + epsilon * prior: label smoothing (Szegedy et al., 2015).

    Args:
        label: float one-hot labels [..., classes].
        prior_dist: the prior distribution, float [1, classes]; None for the uniform one.
        epsilon: the weight of the prior, from 0 to 1.
        dtype: accepted; the result has the dtype of label where that is a float.

    Returns:
        A variable of the shape of label.

    Example:
        >>> with fluid.dygraph.guard():
        ...     label = fluid.dygraph.to_variable(np.array([[0.0, 1.0]], "float32"))
        ...     fluid.layers.label_smooth(label, epsilon=0.5).numpy().tolist()
        [[0.25, 0.75]]
    """
    need_variable("label_smooth: label", label)
    if not 0.0 <= epsilon <= 1.0:
        raise ArgumentError(f"label_smooth: epsilon must lie in [0, 1], got {epsilon}")
    _stop_in_programs(label)
    return registry.get("label_smooth")(label, prior_dist, name=name, epsilon=float(epsilon))


@per_mode
def _stop_in_programs(label: BaseVariable) -> None:
    label.stop_gradient = True


@_stop_in_programs.imperative
def _let_pass(label: BaseVariable) -> None:
    """Fluid: in the imperative mode labels keep their stop_gradient."""


kIgnoreIndex = -100  # Fluid's name of IGNORE


def cross_entropy2(input: BaseVariable, label: BaseVariable, ignore_index: int = kIgnoreIndex) -> BaseVariable:
    """Cross entropy of hard labels, by the operator that keeps the matched probabilities for its gradient.

    Args:
        input: float probabilities [..., classes].
        label: int64 [..., 1].
        ignore_index: a label with loss 0.

    Returns:
        The loss of every sample, [..., 1].
    """
    return cross_entropy_op(input, label, ignore_index=ignore_index, name=LayerName("cross_entropy2"))[0]
