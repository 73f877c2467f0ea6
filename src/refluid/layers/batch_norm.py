"""Normalisation over the batch: batch_norm, inplace_abn, data_norm."""

from __future__ import annotations

from typing import Any

from refluid.core import dtypes
from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import NO_LAYER, LayerName
from refluid.layers.common import activate
from refluid.layers.numbers import is_variable, need_variable
from refluid.ops import registry
from refluid.ops.nn.data_norm import data_norm as data_norm_op
from refluid.params.attr import ParamAttr
from refluid.params.create import make_parameter
from refluid.params.initializer import Constant


def batch_norm(
    input: Any,
    act: Any = None,
    is_test: bool = False,
    momentum: Any = 0.9,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    data_layout: str = "NCHW",
    in_place: bool = False,
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    use_global_stats: bool = False,
    fuse_with_relu: bool = False,
) -> Any:
    """scale * (input - mean) / sqrt(variance + epsilon) + bias, per channel (Ioffe and Szegedy, 2015).

    Args:
        input: [N, C, ...], or [N, ..., C] with data_layout="NHWC".
        is_test: use the moving statistics instead of the batch's; `use_global_stats` does so in training too.
        momentum: how much of the moving statistics stays in a step; a number or a variable of one element.
        in_place: accepted; the input is kept, because the gradient reads it, and freed as early as can be.
        moving_mean_name, moving_variance_name: names of the moving statistics, which training does not change.
        fuse_with_relu: accepted as in 1.5; it changed no result.
    Returns:
        A variable of the input's shape.
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
    input: Any,
    act: str | None = None,
    is_test: bool = False,
    momentum: Any = 0.9,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    data_layout: str = "NCHW",
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    use_global_stats: bool = False,
    act_alpha: float = 1.0,
) -> Any:
    """Batch normalisation and an activation that can be undone, which saves memory (Rota Bulo et al., 2018).

    Args:
        act: None, "identity", "leaky_relu" or "elu".
        act_alpha: the activation's alpha.
    Returns:
        A variable of the input's shape, all that the gradient needs. The other arguments are those of batch_norm.
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


def _statistics(layer: LayerName, input: Any, param_attr: Any, bias_attr: Any, data_layout: str,
                names: tuple[str | None, str | None], average: bool) -> tuple[Any, Any, Any, Any]:  # fmt: skip
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
            ParamAttr(name=one, initializer=Constant(value), trainable=False, do_model_average=average),
            shape, dtype, layer=layer, stop_gradient=True,
        )
        for one, value in zip(names, (0.0, 1.0), strict=True)
    ]  # fmt: skip
    return scale, bias, *moving


def data_norm(
    input: Any,
    act: Any = None,
    epsilon: float = 1e-05,
    param_attr: Any = None,
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
) -> Any:
    """Normalise by statistics of all data seen so far, which are trained as parameters.

    Args:
        input: [N, C].
        param_attr: None, or a dict of first values: "batch_size", "batch_sum", "batch_square", "scale_w", "bias".
        slot_dim: features come in slots of that many; a slot whose first feature is zero stays zero.
        enable_scale_and_shift: multiply by scale_w and add bias, both trained.
    Returns:
        [N, C].
    """
    need_variable("data_norm: input", input)
    layer = LayerName("data_norm", name)
    first = param_attr if isinstance(param_attr, dict) else {}
    prefix = "dn" if name is None else name
    shape = [channels_of("data_norm", input, data_layout)]

    def parameter(suffix: str, key: str, default: float) -> Any:
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


def channels_of(kind: str, input: Any, data_layout: str) -> int:
    """The number of channels of an input in one of the two layouts."""
    if data_layout not in ("NCHW", "NHWC"):
        raise ArgumentError(f"{kind}: data_layout must be 'NCHW' or 'NHWC', got {data_layout!r}")
    if len(input.shape) < 2:
        raise ShapeError(f"{kind}: input must have 2 axes or more, got {input.name} {list(input.shape)}")
    channels = input.shape[1] if data_layout == "NCHW" else input.shape[-1]
    if channels < 0:
        raise ShapeError(f"{kind}: the number of channels of {input.name} {list(input.shape)} must be known")
    return channels
