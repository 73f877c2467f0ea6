"""Normalization within a sample: layer_norm, group_norm, instance_norm, l2_normalize, lrn; spectral_norm of weights."""

from __future__ import annotations

import math
import warnings

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import NO_LAYER, LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.batch_norm import channels_of
from refluid.layers.checks import need_variable
from refluid.layers.common import activate
from refluid.ops.math.norm import norm as norm_op
from refluid.ops.nn.group_norm import group_norm as group_norm_op, instance_norm as instance_norm_op
from refluid.ops.nn.layer_norm import layer_norm as layer_norm_op
from refluid.ops.nn.lrn import lrn as lrn_op
from refluid.ops.nn.spectral_norm import spectral_norm as spectral_norm_op
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter
from refluid.params.initializer import Constant, Normal


def layer_norm(
    input: BaseVariable,
    scale: bool = True,
    shift: bool = True,
    begin_norm_axis: int = 1,
    epsilon: float = 1e-05,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    act: str | None = None,
    name: str | None = None,
) -> BaseVariable:
    """scale * (input - mean) / sqrt(variance + epsilon) + bias over the axes from begin_norm_axis on (Ba et al., 2016).

    Args:
        input: a float variable of at least two axes.
        scale: whether there is a scale.
        shift: whether there is a bias.
        begin_norm_axis: the first normalized axis.
        epsilon: keeps the divisor from 0.
        param_attr: settings of the scale [product of the normalized sizes]; 1 at first.
        bias_attr: settings of the bias, likewise; 0 at first.
        act: the name of an activation, "relu" for example.

    Returns:
        A variable of the shape, dtype and LoD of input.

    Example:
        >>> x = fluid.data("x", [None, 10, 64])
        >>> fluid.layers.layer_norm(x, begin_norm_axis=2).shape
        (-1, 10, 64)
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


def _wanted(function: str, switch: str, wanted: bool, attr: AttrLike, attr_name: str) -> bool:
    """Whether a parameter is created; warn about settings that the switch contradicts."""
    if wanted and attr is False:
        raise ArgumentError(f"{function}: {attr_name} must not be False when {switch}=True")
    if not wanted and attr:
        warnings.warn(f"{function}: {attr_name} has no effect with {switch}=False", stacklevel=3)
    return wanted


def group_norm(
    input: BaseVariable,
    groups: int,
    epsilon: float = 1e-05,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    act: str | None = None,
    data_layout: str = "NCHW",
    name: str | None = None,
) -> BaseVariable:
    """Group normalization: mean and variance over each group of channels of each sample (Wu and He, 2018).

    Args:
        input: a float variable [N, C, ...], or [N, ..., C] with data_layout="NHWC".
        groups: the number of groups, a divisor of C.
        epsilon: keeps the divisor from 0.
        param_attr: settings of the scale [C]; without settings there is none, as in 1.8.
        bias_attr: settings of the bias [C]; without settings there is none.
        act: the name of an activation, "relu" for example.
        data_layout: "NCHW" or "NHWC".

    Returns:
        A variable of the shape and dtype of input.
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
    input: BaseVariable,
    epsilon: float = 1e-05,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    name: str | None = None,
) -> BaseVariable:
    """Instance normalization: mean and variance over each channel of each sample (Ulyanov et al., 2016).

    Args:
        input: a float variable [N, C, ...].
        epsilon: keeps the divisor from 0.
        param_attr: settings of the scale [C]; 1 at first.
        bias_attr: settings of the bias [C]; 0 at first.

    Returns:
        A variable of the shape and dtype of input.
    """
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


def spectral_norm(
    weight: BaseVariable, dim: int = 0, power_iters: int = 1, eps: float = 1e-12, name: str | None = None
) -> BaseVariable:
    """weight divided by its largest singular value, estimated by power iteration (Miyato et al., 2018).

    Args:
        weight: the parameter of a layer, a float variable of any shape; as a matrix whose rows are axis `dim`.
        dim: 0, or 1 for the weight of a transposed convolution.
        power_iters: the number of iterations.
        eps: keeps the norms of the vectors from 0.

    Returns:
        A variable of the shape and dtype of weight.
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


def l2_normalize(x: BaseVariable, axis: int | None, epsilon: float = 1e-12, name: str | None = None) -> BaseVariable:
    """x / sqrt(sum(x^2) + epsilon) along an axis.

    Args:
        x: a float variable of any shape.
        axis: the axis; None for 1. A vector has only axis 0.
        epsilon: keeps the divisor from 0.

    Returns:
        A variable of the shape and dtype of x.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([[3.0, 4.0]], "float32"))
        ...     fluid.layers.l2_normalize(x, axis=1).numpy().round(4).tolist()
        [[0.6..., 0.8...]]
    """
    need_variable("l2_normalize: x", x)
    if len(x.shape) == 1:
        axis = 0
    layer = LayerName("l2_normalize", name)
    _, out = norm_op(x, name=layer, axis=1 if axis is None else axis, epsilon=epsilon)
    return out


def lrn(
    input: BaseVariable,
    n: int = 5,
    k: float = 1.0,
    alpha: float = 0.0001,
    beta: float = 0.75,
    name: str | None = None,
    data_format: str = "NCHW",
) -> BaseVariable:
    """Local response normalization: input / (k + alpha * sum of squares over n adjacent channels)^beta.

    From Krizhevsky et al. (2012).

    Args:
        input: a float variable [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        n: the number of channels in the sum.
        k: the offset of the divisor.
        alpha: the factor of the sum.
        beta: the exponent.
        data_format: "NCHW" or "NHWC".

    Returns:
        A variable of the shape and dtype of input.
    """
    need_variable("lrn: input", input)
    if len(input.shape) != 4:
        raise ShapeError(f"lrn: input must have 4 axes, got {input.name} {list(input.shape)}")
    if data_format not in ("NCHW", "NHWC"):
        raise ArgumentError(f"lrn: data_format must be 'NCHW' or 'NHWC', got {data_format!r}")
    out, mid = lrn_op(input, name=LayerName("lrn", name), n=n, k=k, alpha=alpha, beta=beta, data_format=data_format)
    mid.stop_gradient = True
    return out
