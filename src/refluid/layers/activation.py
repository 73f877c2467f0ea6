"""Activations."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.common import dtype_attr
from refluid.layers.unary import unary
from refluid.ops.activation import elu as elus, rectifiers, shrink, sigmoids, softplus as softpluses, swish as swishes
from refluid.ops.activation.gelu import gelu as gelu_op
from refluid.ops.activation.leaky_relu import leaky_relu as leaky_relu_op
from refluid.ops.activation.softmax import softmax as softmax_op
from refluid.ops.math.unary import log as log_op
from refluid.ops.shape.cast import cast as cast_op

relu = unary(rectifiers.relu, "max(x, 0).")
sigmoid = unary(sigmoids.sigmoid, "1 / (1 + exp(-x)).")
logsigmoid = unary(sigmoids.logsigmoid, "log(sigmoid(x)).")
tanh = unary(sigmoids.tanh, "The hyperbolic tangent.")
tanh_shrink = unary(shrink.tanh_shrink, "x - tanh(x).")
softplus = unary(softpluses.softplus, "log(1 + exp(x)).")
softsign = unary(sigmoids.softsign, "x / (1 + |x|).")


def relu6(x: Any, threshold: float = 6.0, name: str | None = None) -> Any:
    """min(max(x, 0), threshold)."""
    return rectifiers.relu6(x, name=name, threshold=threshold)


def leaky_relu(x: Any, alpha: float = 0.02, name: str | None = None) -> Any:
    """x where it is positive, alpha * x elsewhere."""
    return leaky_relu_op(x, name=name, alpha=alpha)


def elu(x: Any, alpha: float = 1.0, name: str | None = None) -> Any:
    """x where it is positive, alpha * (exp(x) - 1) elsewhere."""
    return elus.elu(x, name=name, alpha=alpha)


def selu(x: Any, scale: float | None = None, alpha: float | None = None, name: str | None = None) -> Any:
    """scale * elu(x, alpha), with the constants of self-normalising networks unless told otherwise."""
    attrs: dict[str, Any] = {key: value for key, value in (("scale", scale), ("alpha", alpha)) if value is not None}
    return elus.selu(x, name=name, **attrs)


def gelu(x: Any, approximate: bool = False) -> Any:
    """x times the normal distribution function of x; by tanh if approximate."""
    return gelu_op(x, approximate=approximate)


def brelu(x: Any, t_min: float = 0.0, t_max: float = 24.0, name: str | None = None) -> Any:
    """min(max(x, t_min), t_max)."""
    return rectifiers.brelu(x, name=name, t_min=t_min, t_max=t_max)


def soft_relu(x: Any, threshold: float = 40.0, name: str | None = None) -> Any:
    """log(1 + exp(x)) with x clipped to [-threshold, threshold]."""
    return softpluses.soft_relu(x, name=name, threshold=threshold)


def stanh(x: Any, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None) -> Any:
    """scale_b * tanh(scale_a * x)."""
    return sigmoids.stanh(x, name=name, scale_a=scale_a, scale_b=scale_b)


def hard_sigmoid(x: Any, slope: float = 0.2, offset: float = 0.5, name: str | None = None) -> Any:
    """slope * x + offset, clipped to [0, 1]."""
    return sigmoids.hard_sigmoid(x, name=name, slope=slope, offset=offset)


def swish(x: Any, beta: float = 1.0, name: str | None = None) -> Any:
    """x * sigmoid(beta * x)."""
    return swishes.swish(x, name=name, beta=beta)


def hard_swish(x: Any, threshold: float = 6.0, scale: float = 6.0, offset: float = 3.0, name: str | None = None) -> Any:
    """x * min(max(x + offset, 0), threshold) / scale."""
    return swishes.hard_swish(x, name=name, threshold=threshold, scale=scale, offset=offset)


def mish(x: Any, threshold: float = 20, name: str | None = None) -> Any:
    """x * tanh(softplus(x)), where softplus is linear beyond the threshold."""
    if threshold < 0:
        raise ArgumentError(f"mish: threshold must not be negative, got {threshold}")
    return swishes.mish(x, name=name, threshold=float(threshold))


def thresholded_relu(x: Any, threshold: float | None = None) -> Any:
    """x where it is above the threshold (1.0 unless given), 0 elsewhere."""
    return rectifiers.thresholded_relu(x, threshold=1.0 if threshold is None else threshold)


def hard_shrink(x: Any, threshold: float | None = None) -> Any:
    """x where |x| is above the threshold (0.5 unless given), 0 elsewhere."""
    return shrink.hard_shrink(x, threshold=0.5 if threshold is None else threshold)


def softshrink(x: Any, alpha: float | None = None, name: str | None = None) -> Any:
    """x moved towards 0 by alpha (0.5 unless given), 0 where |x| is below it."""
    attrs: dict[str, Any] = {"lambda": 0.5 if alpha is None else alpha}
    return shrink.softshrink(x, name=name, **attrs)


def softmax(input: Any, use_cudnn: bool = False, name: str | None = None, axis: int = -1) -> Any:
    """exp(input) divided by its sum along the axis."""
    return softmax_op(input, name=name, axis=axis, use_cudnn=use_cudnn)


def log_softmax(input: Any, axis: int | None = None, dtype: Any = None, name: str | None = None) -> Any:
    """log(softmax(input)) along the axis (the last unless given), computed in `dtype` if that is given."""
    layer = LayerName("log_softmax", name)
    if dtype is not None:
        input = cast_op(input, name=layer, in_dtype=int(input.dtype), out_dtype=dtype_attr(dtype))
    return log_op(softmax_op(input, name=layer, axis=-1 if axis is None else axis, use_cudnn=False), name=layer)
