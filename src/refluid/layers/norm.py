"""Normalisation within a sample: layer_norm, group_norm, instance_norm, l2_normalize, lrn; spectral_norm of weights."""

from __future__ import annotations

import math
import warnings
from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import NO_LAYER, LayerName
from refluid.layers.batch_norm import channels_of
from refluid.layers.common import activate
from refluid.layers.numbers import need_variable
from refluid.ops.math.norm import norm as norm_op
from refluid.ops.nn.group_norm import group_norm as group_norm_op, instance_norm as instance_norm_op
from refluid.ops.nn.layer_norm import layer_norm as layer_norm_op
from refluid.ops.nn.lrn import lrn as lrn_op
from refluid.ops.nn.spectral_norm import spectral_norm as spectral_norm_op
from refluid.params.create import make_parameter
from refluid.params.initializer import Constant, Normal


def layer_norm(
    input: Any,
    scale: bool = True,
    shift: bool = True,
    begin_norm_axis: int = 1,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: Any = None,
    name: str | None = None,
) -> Any:
    """gain * (input - mean) / sqrt(variance + epsilon) + bias over the axes from begin_norm_axis on (Ba et al., 2016).

    Args:
        scale, shift: whether there is a gain, a bias; they are flat, one number per feature.
        param_attr, bias_attr: settings of gain and bias.
    """
    need_variable("layer_norm: input", input)
    features = math.prod(input.shape[begin_norm_axis:])
    if not 0 < begin_norm_axis < len(input.shape) or features <= 0:
        raise ShapeError(
            f"layer_norm: the sizes of {input.name} {list(input.shape)} from axis {begin_norm_axis} on must be known"
        )
    layer = LayerName("layer_norm", name)
    gain = bias = None
    if _wanted("layer_norm", "scale", scale, param_attr, "param_attr"):
        gain = make_parameter(param_attr, [features], input.dtype, layer=layer, default=Constant(1.0))
    if _wanted("layer_norm", "shift", shift, bias_attr, "bias_attr"):
        bias = make_parameter(bias_attr, [features], input.dtype, is_bias=True, layer=layer)
    y, mean, variance = layer_norm_op(input, gain, bias, name=layer, epsilon=epsilon, begin_norm_axis=begin_norm_axis)
    mean.stop_gradient = variance.stop_gradient = True
    return activate(y, act, layer)


def _wanted(function: str, switch: str, wanted: bool, attr: Any, attr_name: str) -> bool:
    """Whether a parameter is made; attributes that contradict the switch are told."""
    if wanted and attr is False:
        raise ArgumentError(f"{function}: {attr_name} must not be False when {switch}=True")
    if not wanted and attr:
        warnings.warn(f"{function}: {attr_name} has no effect with {switch}=False", stacklevel=3)
    return wanted


def group_norm(
    input: Any,
    groups: int,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: Any = None,
    data_layout: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Normalise each group of channels of each sample (Wu and He, 2018).

    Args:
        input: [N, C, ...], or [N, ..., C] with data_layout="NHWC"; `groups` divides C.
        param_attr, bias_attr: settings of scale and bias; each is made only if its settings are given, as in 1.8.
    """
    need_variable("group_norm: input", input)
    layer = LayerName("group_norm", name)
    shape = [channels_of("group_norm", input, data_layout)]
    scale = bias = None
    if param_attr:
        scale = make_parameter(param_attr, shape, input.dtype, layer=layer, default=Constant(1.0))
    if bias_attr:
        bias = make_parameter(bias_attr, shape, input.dtype, is_bias=True, layer=layer)
    y, mean, variance = group_norm_op(
        input, scale, bias, name=NO_LAYER, epsilon=epsilon, groups=groups, data_layout=data_layout
    )
    mean.stop_gradient = variance.stop_gradient = True
    return activate(y, act, layer)


def instance_norm(
    input: Any, epsilon: float = 1e-05, param_attr: Any = None, bias_attr: Any = None, name: str | None = None
) -> Any:
    """Normalise each channel of each sample of [N, C, ...] (Ulyanov et al., 2016)."""
    need_variable("instance_norm: input", input)
    if param_attr is False or bias_attr is False:
        raise ArgumentError("instance_norm: param_attr and bias_attr must not be False; it has both")
    layer = LayerName("instance_norm", name)
    shape = [channels_of("instance_norm", input, "NCHW")]
    scale = make_parameter(param_attr, shape, input.dtype, layer=layer, default=Constant(1.0))
    bias = make_parameter(bias_attr, shape, input.dtype, is_bias=True, layer=layer)
    y, saved_mean, saved_variance = instance_norm_op(input, scale, bias, name=layer, epsilon=epsilon)
    saved_mean.stop_gradient = saved_variance.stop_gradient = True
    return y


def spectral_norm(weight: Any, dim: int = 0, power_iters: int = 1, eps: float = 1e-12, name: str | None = None) -> Any:
    """weight divided by its largest singular value, found by power iteration (Miyato et al., 2018).

    Args:
        weight: the parameter of a layer; it is seen as a matrix whose rows are axis `dim`.
        power_iters: the number of iterations.
    """
    need_variable("spectral_norm: weight", weight)
    layer = LayerName("spectral_norm", name)
    rows = weight.shape[dim]
    columns = math.prod(weight.shape) // rows
    vectors = [
        make_parameter(None, [size], weight.dtype, layer=layer, default=Normal(0.0, 1.0), stop_gradient=True)
        for size in (rows, columns)
    ]
    return spectral_norm_op(weight, *vectors, name=NO_LAYER, dim=dim, power_iters=power_iters, eps=eps)


def l2_normalize(x: Any, axis: int | None, epsilon: float = 1e-12, name: str | None = None) -> Any:
    """x / sqrt(sum(x^2) + epsilon) along an axis (1 if None; the only one of a vector)."""
    need_variable("l2_normalize: x", x)
    if len(x.shape) == 1:
        axis = 0
    layer = LayerName("l2_normalize", name)
    _, out = norm_op(x, name=layer, axis=1 if axis is None else axis, epsilon=epsilon)
    return out


def lrn(
    input: Any,
    n: int = 5,
    k: float = 1.0,
    alpha: float = 0.0001,
    beta: float = 0.75,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Any:
    """input / (k + alpha * the sum of squares of n neighbouring channels) ** beta (Krizhevsky et al., 2012)."""
    need_variable("lrn: input", input)
    if len(input.shape) != 4:
        raise ShapeError(f"lrn: input must have 4 axes, got {input.name} {list(input.shape)}")
    if data_format not in ("NCHW", "NHWC"):
        raise ArgumentError(f"lrn: data_format must be 'NCHW' or 'NHWC', got {data_format!r}")
    out, mid = lrn_op(input, name=LayerName("lrn", name), n=n, k=k, alpha=alpha, beta=beta, data_format=data_format)
    mid.stop_gradient = True
    return out
