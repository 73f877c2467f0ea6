"""Normalization over the batch: batch_norm, inplace_abn, data_norm."""

from __future__ import annotations

from collections.abc import Mapping

from refluid.core import dtypes
from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import NO_LAYER, LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable, need_variable
from refluid.layers.common import activate
from refluid.ops import registry
from refluid.ops.nn.data_norm import data_norm as data_norm_op
from refluid.params.attr import AttrLike, ParamAttr
from refluid.params.create import make_parameter
from refluid.params.initializer import Constant


def batch_norm(
    input: BaseVariable,
    act: str | None = None,
    is_test: bool = False,
    momentum: float | BaseVariable = 0.9,
    epsilon: float = 1e-05,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    data_layout: str = "NCHW",
    in_place: bool = False,
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    use_global_stats: bool = False,
    fuse_with_relu: bool = False,
) -> BaseVariable:
    """scale * (input - mean) / sqrt(variance + epsilon) + bias, per channel (Ioffe and Szegedy, 2015).

    Training uses the mean and variance of the batch and updates moving = momentum * moving + (1 - momentum) * batch.

    Args:
        input: a float variable [N, C, ...], or [N, ..., C] with data_layout="NHWC".
        act: the name of an activation, "relu" for example.
        is_test: use the moving mean and variance.
        momentum: see above; a number, or a float32 variable [1].
        epsilon: keeps the divisor from 0.
        param_attr: settings of the scale [C]; 1 at first.
        bias_attr: settings of the bias [C]; 0 at first.
        data_layout: "NCHW" or "NHWC".
        in_place: accepted; the gradient reads the input, which is freed as early as possible.
        moving_mean_name: the name of the moving mean [C].
        moving_variance_name: the name of the moving variance [C].
        do_model_average_for_mean_and_var: whether ModelAverage averages the moving mean and variance.
        use_global_stats: use the moving mean and variance in training too.
        fuse_with_relu: accepted, as 1.5 has it; it changes no result.

    Returns:
        A variable of the shape and dtype of input.

    Example:
        >>> image = fluid.data("image", [None, 3, 32, 32])
        >>> fluid.layers.batch_norm(image, act="relu").shape
        (-1, 3, 32, 32)
    """
    layer = LayerName("batch_norm", name)
    names = (moving_mean_name, moving_variance_name)
    params = _statistics(layer, input, param_attr, bias_attr, data_layout, names, do_model_average_for_mean_and_var)
    by_variable = is_variable(momentum)
    attrs = {"epsilon": epsilon, "is_test": is_test, "data_layout": data_layout, "use_global_stats": use_global_stats}
    if not by_variable:
        attrs["momentum"] = momentum
    outs = {"MeanOut": params[2], "VarianceOut": params[3]}
    y, _, _, saved_mean, saved_variance, _ = registry.get("batch_norm")(
        input, *params, momentum if by_variable else None, name=layer, outs=outs, use_mkldnn=False,
        fuse_with_relu=False, **attrs,
    )  # fmt: skip
    saved_mean.stop_gradient = saved_variance.stop_gradient = True
    return activate(y, act, layer)


def inplace_abn(
    input: BaseVariable,
    act: str | None = None,
    is_test: bool = False,
    momentum: float | BaseVariable = 0.9,
    epsilon: float = 1e-05,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    data_layout: str = "NCHW",
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    use_global_stats: bool = False,
    act_alpha: float = 1.0,
) -> BaseVariable:
    """Batch normalization and an invertible activation, which saves memory (Rota Bulo et al., 2018).

    Args:
        input: a float variable [N, C, ...], or [N, ..., C] with data_layout="NHWC".
        act: None, "identity", "leaky_relu" or "elu".
        is_test: use the moving mean and variance.
        momentum: the factor of the moving mean and variance in their update; a number, or a float32 variable [1].
        epsilon: keeps the divisor from 0.
        param_attr: settings of the scale [C]; 1 at first.
        bias_attr: settings of the bias [C]; 0 at first.
        data_layout: "NCHW" or "NHWC".
        moving_mean_name: the name of the moving mean [C].
        moving_variance_name: the name of the moving variance [C].
        do_model_average_for_mean_and_var: whether ModelAverage averages the moving mean and variance.
        use_global_stats: use the moving mean and variance in training too.
        act_alpha: the alpha of the activation.

    Returns:
        A variable of the shape and dtype of input.
    """
    if act not in (None, "identity", "leaky_relu", "elu"):
        raise ArgumentError(f"inplace_abn: act must be None, 'identity', 'leaky_relu' or 'elu', got {act!r}")
    layer = LayerName("inplace_abn", name)
    names = (moving_mean_name, moving_variance_name)
    params = _statistics(layer, input, param_attr, bias_attr, data_layout, names, do_model_average_for_mean_and_var)
    by_variable = is_variable(momentum)
    attrs = {} if by_variable else {"momentum": momentum}
    y, _, _, saved_mean, saved_variance, _ = registry.get("inplace_abn")(
        input, *params, momentum if by_variable else None, name=layer,
        outs={"MeanOut": params[2], "VarianceOut": params[3]}, epsilon=epsilon, is_test=is_test,
        data_layout=data_layout, use_mkldnn=False, fuse_with_relu=False, use_global_stats=use_global_stats,
        activation=act or "", alpha=float(act_alpha), **attrs,
    )  # fmt: skip
    saved_mean.stop_gradient = saved_variance.stop_gradient = True
    return y


def _statistics(layer: LayerName, input: BaseVariable, param_attr: AttrLike, bias_attr: AttrLike, data_layout: str,
                names: tuple[str | None, str | None], average: bool) -> tuple[BaseVariable, ...]:  # fmt: skip
    """Scale, bias, moving mean and moving variance."""
    kind = layer.layer_type
    if bias_attr is False or param_attr is False:
        raise ArgumentError(f"{kind}: param_attr and bias_attr must not be False; it has both")
    need_variable(f"{kind}: input", input)
    dtype = dtypes.var_type(input.dtype)
    if dtype == dtypes.VarType.FP16:  # statistics of half precision are kept in single
        dtype = dtypes.VarType.FP32
    shape = [channels_of(kind, input, data_layout)]
    scale = make_parameter(param_attr, shape, dtype, layer=layer, default=Constant(1.0))
    bias = make_parameter(bias_attr, shape, dtype, is_bias=True, layer=layer)
    moving = [
        make_parameter(
            ParamAttr(name=moving_name, initializer=Constant(value), trainable=False, do_model_average=average),
            shape, dtype, layer=layer, stop_gradient=True,
        )
        for moving_name, value in zip(names, (0.0, 1.0), strict=True)
    ]  # fmt: skip
    return scale, bias, *moving


def data_norm(
    input: BaseVariable,
    act: str | None = None,
    epsilon: float = 1e-05,
    param_attr: Mapping[str, float] | AttrLike = None,
    data_layout: str = "NCHW",
    in_place: bool = False,
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    slot_dim: int = -1,
    sync_stats: bool = False,
    summary_decay_rate: float = 0.9999999,
    enable_scale_and_shift: bool = False,
) -> BaseVariable:
    """(input - mean) / standard deviation, by statistics of all data seen so far, which are trained as parameters.

    Args:
        input: a float variable [N, C].
        act: the name of an activation, "relu" for example.
        epsilon: added to the squares in the update of the statistics.
        param_attr: None, or a dict of initial values: "batch_size", "batch_sum", "batch_square", "scale_w", "bias".
        data_layout: "NCHW" or "NHWC".
        in_place: accepted; no effect.
        moving_mean_name: accepted; no effect.
        moving_variance_name: accepted; no effect.
        do_model_average_for_mean_and_var: accepted; no effect.
        slot_dim: the features are divided into slots of this size, and a slot whose first feature is 0 stays 0; -1 for
            no slots.
        sync_stats: add the statistics of several devices up; kept as an attribute of the operator.
        summary_decay_rate: the factor of the statistics in their update.
        enable_scale_and_shift: multiply by scale_w and add bias, both trained parameters [C].

    Returns:
        A variable [N, C].
    """
    need_variable("data_norm: input", input)
    layer = LayerName("data_norm", name)
    first = param_attr if isinstance(param_attr, dict) else {}
    prefix = "dn" if name is None else name
    shape = [channels_of("data_norm", input, data_layout)]

    def parameter(suffix: str, key: str, default: float) -> BaseVariable:
        attr = ParamAttr(name=f"{prefix}.{suffix}", initializer=Constant(float(first.get(key, default))))
        return make_parameter(attr, shape, input.dtype, layer=layer)

    scale = bias = None
    if enable_scale_and_shift:
        scale, bias = parameter("scale_w", "scale_w", 1.0), parameter("bias", "bias", 0.0)
    size = parameter("batch_size", "batch_size", 1e4)
    total = parameter("batch_sum", "batch_sum", 0.0)
    squares = parameter("batch_square_sum", "batch_square", 1e4)
    y, means, scales = data_norm_op(
        scale, bias, input, size, total, squares, name=NO_LAYER,
        epsilon=epsilon, data_layout=data_layout, sync_stats=sync_stats, summary_decay_rate=summary_decay_rate,
        slot_dim=slot_dim, enable_scale_and_shift=enable_scale_and_shift,
    )  # fmt: skip
    means.stop_gradient = scales.stop_gradient = True
    return activate(y, act, layer)


def channels_of(kind: str, input: BaseVariable, data_layout: str) -> int:
    """The number of channels of an input in one of the two layouts."""
    if data_layout not in ("NCHW", "NHWC"):
        raise ArgumentError(f"{kind}: data_layout must be 'NCHW' or 'NHWC', got {data_layout!r}")
    if len(input.shape) < 2:
        raise ShapeError(f"{kind}: input must have 2 axes or more, got {input.name} {list(input.shape)}")
    channels = input.shape[1] if data_layout == "NCHW" else input.shape[-1]
    if channels < 0:
        raise ShapeError(f"{kind}: the number of channels of {input.name} {list(input.shape)} must be known")
    return channels
