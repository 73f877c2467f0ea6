"""Activations."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import dtype_attr
from refluid.ops.activation import elu as elus, rectifiers, shrink, sigmoids, softplus as softpluses, swish as swishes
from refluid.ops.activation.gelu import gelu as gelu_op
from refluid.ops.activation.leaky_relu import leaky_relu as leaky_relu_op
from refluid.ops.activation.softmax import softmax as softmax_op
from refluid.ops.math.unary import log as log_op
from refluid.ops.shape.cast import cast as cast_op


def relu(x: BaseVariable, name: str | None = None) -> BaseVariable:
    """max(x, 0).

    Args:
        x: a float variable of any shape.

    Returns:
        A variable of the shape, dtype and LoD of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([-2.0, 0.0, 2.0], "float32"))
        ...     fluid.layers.relu(x).numpy().tolist()
        [0.0, 0.0, 2.0]
    """
    return rectifiers.relu(x, name=name)


def sigmoid(x: BaseVariable, name: str | None = None) -> BaseVariable:
    """1 / (1 + exp(-x)).

    Args:
        x: a float variable of any shape.

    Returns:
        A variable of the shape, dtype and LoD of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([-2.0, 0.0, 2.0], "float32"))
        ...     fluid.layers.sigmoid(x).numpy().tolist()
        [0.119..., 0.5, 0.880...]
    """
    return sigmoids.sigmoid(x, name=name)


def logsigmoid(x: BaseVariable, name: str | None = None) -> BaseVariable:
    """log(sigmoid(x)) = -log(1 + exp(-x)).

    Args:
        x: a float variable of any shape.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return sigmoids.logsigmoid(x, name=name)


def tanh(x: BaseVariable, name: str | None = None) -> BaseVariable:
    """(exp(x) - exp(-x)) / (exp(x) + exp(-x)).

    Args:
        x: a float variable of any shape.

    Returns:
        A variable of the shape, dtype and LoD of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([-2.0, 0.0, 2.0], "float32"))
        ...     fluid.layers.tanh(x).numpy().tolist()
        [-0.964..., 0.0, 0.964...]
    """
    return sigmoids.tanh(x, name=name)


def tanh_shrink(x: BaseVariable, name: str | None = None) -> BaseVariable:
    """x - tanh(x).

    Args:
        x: a float variable of any shape.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return shrink.tanh_shrink(x, name=name)


def softplus(x: BaseVariable, name: str | None = None) -> BaseVariable:
    """log(1 + exp(x)).

    Args:
        x: a float variable of any shape.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return softpluses.softplus(x, name=name)


def softsign(x: BaseVariable, name: str | None = None) -> BaseVariable:
    """x / (1 + |x|).

    Args:
        x: a float variable of any shape.

    Returns:
        A variable of the shape, dtype and LoD of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([-1.0, 3.0], "float32"))
        ...     fluid.layers.softsign(x).numpy().tolist()
        [-0.5, 0.75]
    """
    return sigmoids.softsign(x, name=name)


def relu6(x: BaseVariable, threshold: float = 6.0, name: str | None = None) -> BaseVariable:
    """min(max(x, 0), threshold).

    Args:
        x: a float variable of any shape.
        threshold: the upper bound.

    Returns:
        A variable of the shape, dtype and LoD of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.relu6(fluid.dygraph.to_variable(np.array([-1.0, 3.0, 8.0], "float32"))).numpy().tolist()
        [0.0, 3.0, 6.0]
    """
    return rectifiers.relu6(x, name=name, threshold=threshold)


def leaky_relu(x: BaseVariable, alpha: float = 0.02, name: str | None = None) -> BaseVariable:
    """x where x > 0, alpha * x elsewhere.

    Args:
        x: a float variable of any shape.
        alpha: the slope for negative x.

    Returns:
        A variable of the shape, dtype and LoD of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([-2.0, 3.0], "float32"))
        ...     fluid.layers.leaky_relu(x, alpha=0.5).numpy().tolist()
        [-1.0, 3.0]
    """
    return leaky_relu_op(x, name=name, alpha=alpha)


def elu(x: BaseVariable, alpha: float = 1.0, name: str | None = None) -> BaseVariable:
    """x where x > 0, alpha * (exp(x) - 1) elsewhere (Clevert et al., 2015).

    Args:
        x: a float variable of any shape.
        alpha: -alpha is the limit for large negative x.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return elus.elu(x, name=name, alpha=alpha)


def selu(
    x: BaseVariable, scale: float | None = None, alpha: float | None = None, name: str | None = None
) -> BaseVariable:
    """scale * (x where x > 0, alpha * (exp(x) - 1) elsewhere): self-normalizing units (Klambauer et al., 2017).

    Args:
        x: a float variable of any shape.
        scale: the outer factor; None for the paper's 1.0507.
        alpha: the inner factor; None for the paper's 1.6733.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    attrs: dict[str, Any] = {key: value for key, value in (("scale", scale), ("alpha", alpha)) if value is not None}
    return elus.selu(x, name=name, **attrs)


def gelu(x: BaseVariable, approximate: bool = False) -> BaseVariable:
    """x * Phi(x), with Phi the distribution function of the standard normal distribution (Hendrycks and Gimpel, 2016).

    Args:
        x: a float variable of any shape.
        approximate: use 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return gelu_op(x, approximate=approximate)


def brelu(x: BaseVariable, t_min: float = 0.0, t_max: float = 24.0, name: str | None = None) -> BaseVariable:
    """min(max(x, t_min), t_max).

    Args:
        x: a float variable of any shape.
        t_min: the lower bound.
        t_max: the upper bound.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return rectifiers.brelu(x, name=name, t_min=t_min, t_max=t_max)


def soft_relu(x: BaseVariable, threshold: float = 40.0, name: str | None = None) -> BaseVariable:
    """log(1 + exp(x)), with x clipped to [-threshold, threshold] first.

    Args:
        x: a float variable of any shape.
        threshold: the bound of |x|.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return softpluses.soft_relu(x, name=name, threshold=threshold)


def stanh(x: BaseVariable, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None) -> BaseVariable:
    """scale_b * tanh(scale_a * x).

    Args:
        x: a float variable of any shape.
        scale_a: the factor of the input.
        scale_b: the factor of the output.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return sigmoids.stanh(x, name=name, scale_a=scale_a, scale_b=scale_b)


def hard_sigmoid(x: BaseVariable, slope: float = 0.2, offset: float = 0.5, name: str | None = None) -> BaseVariable:
    """min(max(slope * x + offset, 0), 1).

    Args:
        x: a float variable of any shape.
        slope: the slope of the linear part.
        offset: the value at 0.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return sigmoids.hard_sigmoid(x, name=name, slope=slope, offset=offset)


def swish(x: BaseVariable, beta: float = 1.0, name: str | None = None) -> BaseVariable:
    """x * sigmoid(beta * x) (Ramachandran et al., 2017).

    Args:
        x: a float variable of any shape.
        beta: the factor inside the sigmoid.

    Returns:
        A variable of the shape, dtype and LoD of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.swish(fluid.dygraph.to_variable(np.array([0.0, 20.0], "float32"))).numpy().tolist()
        [0.0, 20.0]
    """
    return swishes.swish(x, name=name, beta=beta)


def hard_swish(
    x: BaseVariable, threshold: float = 6.0, scale: float = 6.0, offset: float = 3.0, name: str | None = None
) -> BaseVariable:
    """x * min(max(x + offset, 0), threshold) / scale (Howard et al., 2019).

    Args:
        x: a float variable of any shape.
        threshold: the upper bound of x + offset.
        scale: the divisor.
        offset: added to x.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return swishes.hard_swish(x, name=name, threshold=threshold, scale=scale, offset=offset)


def mish(x: BaseVariable, threshold: float = 20, name: str | None = None) -> BaseVariable:
    """x * tanh(softplus(x)) (Misra, 2019).

    Args:
        x: a float variable of any shape.
        threshold: softplus is x above it and exp(x) below its negative; 0 or more.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    if threshold < 0:
        raise ArgumentError(f"mish: threshold must not be negative, got {threshold}")
    return swishes.mish(x, name=name, threshold=float(threshold))


def thresholded_relu(x: BaseVariable, threshold: float | None = None) -> BaseVariable:
    """x where x > threshold, 0 elsewhere.

    Args:
        x: a float variable of any shape.
        threshold: None for 1.0.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return rectifiers.thresholded_relu(x, threshold=1.0 if threshold is None else threshold)


def hard_shrink(x: BaseVariable, threshold: float | None = None) -> BaseVariable:
    """x where |x| > threshold, 0 elsewhere.

    Args:
        x: a float variable of any shape.
        threshold: None for 0.5.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    return shrink.hard_shrink(x, threshold=0.5 if threshold is None else threshold)


def softshrink(x: BaseVariable, alpha: float | None = None, name: str | None = None) -> BaseVariable:
    """x - alpha where x > alpha, x + alpha where x < -alpha, 0 elsewhere.

    Args:
        x: a float variable of any shape.
        alpha: the threshold; None for 0.5.

    Returns:
        A variable of the shape, dtype and LoD of x.
    """
    attrs: dict[str, Any] = {"lambda": 0.5 if alpha is None else alpha}
    return shrink.softshrink(x, name=name, **attrs)


def softmax(input: BaseVariable, use_cudnn: bool = False, name: str | None = None, axis: int = -1) -> BaseVariable:
    """exp(input) / sum(exp(input)) along an axis.

    Args:
        input: a float variable of any shape, the logits.
        use_cudnn: kept as an attribute of the operator; no effect.
        axis: the axis that sums to 1.

    Returns:
        A variable of the shape, dtype and LoD of input.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([[0.0, 0.0], [3.0, 3.0]], "float32"))
        ...     fluid.layers.softmax(x).numpy().tolist()
        [[0.5, 0.5], [0.5, 0.5]]
    """
    return softmax_op(input, name=name, axis=axis, use_cudnn=use_cudnn)


def log_softmax(
    input: BaseVariable, axis: int | None = None, dtype: Dtype | None = None, name: str | None = None
) -> BaseVariable:
    """log(softmax(input)) along an axis.

    Args:
        input: a float variable of any shape, the logits.
        axis: the axis of the classes; None for the last.
        dtype: input is cast to it first; None for none.

    Returns:
        A variable of the shape of input.
    """
    layer = LayerName("log_softmax", name)
    if dtype is not None:
        input = cast_op(input, name=layer, in_dtype=int(input.dtype), out_dtype=dtype_attr(dtype))
    return log_op(softmax_op(input, name=layer, axis=-1 if axis is None else axis, use_cudnn=False), name=layer)
