"""Functions with a parameter of their own: prelu, row_conv, bilinear_tensor_product."""

from __future__ import annotations

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable
from refluid.layers.common import activate
from refluid.ops import registry
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter
from refluid.params.initializer import Constant


def prelu(x: BaseVariable, mode: str, param_attr: AttrLike = None, name: str | None = None) -> BaseVariable:
    """max(0, x) + alpha * min(0, x) with a trained alpha (He et al., 2015).

    Args:
        x: a float variable [N, C, ...].
        mode: "all" has one alpha, "channel" one per channel, "element" one per element of a sample.
        param_attr: settings of alpha, [1], [1, C, 1, 1] or [1, *x.shape[1:]]; 0.25 at first.

    Returns:
        A variable of the shape and dtype of x.
    """
    if mode == "all":
        shape = [1]
    elif mode == "channel":
        if len(x.shape) < 2:
            raise ShapeError(f"prelu: mode 'channel' takes 2 axes or more, got {x.name} {list(x.shape)}")
        shape = [1, x.shape[1], 1, 1]
    elif mode == "element":
        shape = [1, *x.shape[1:]]
    else:
        raise ArgumentError(f"prelu: mode must be 'all', 'channel' or 'element', got {mode!r}")
    layer = LayerName("prelu", name)
    alpha = make_parameter(param_attr, shape, "float32", layer=layer, default=Constant(0.25))
    return registry.get("prelu")(x, alpha, name=layer, mode=mode)


def row_conv(
    input: BaseVariable, future_context_size: int, param_attr: AttrLike = None, act: str | None = None
) -> BaseVariable:
    """Lookahead convolution: a weighted sum of every step and the following ones (Amodei et al., 2015).

    Args:
        input: a float LoDTensor [total length, D], or [N, length, D].
        future_context_size: the number of following steps.
        param_attr: settings of the weight [future_context_size + 1, D].
        act: the name of an activation, "relu" for example.

    Returns:
        A variable of the shape, dtype and LoD of input.
    """
    need_variable("row_conv: input", input)
    layer = LayerName("row_conv")
    weight = make_parameter(param_attr, [future_context_size + 1, input.shape[-1]], input.dtype, layer=layer)
    return activate(registry.get("row_conv")(input, weight, name=layer), act, layer)


def bilinear_tensor_product(
    x: BaseVariable,
    y: BaseVariable,
    size: int,
    act: str | None = None,
    name: str | None = None,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
) -> BaseVariable:
    """act(x @ weight[i] @ y^T + bias[i]) for every sample and every i below size.

    Args:
        x: a float variable [N, A].
        y: a float variable [N, B].
        size: the number of output features.
        act: the name of an activation, "relu" for example.
        param_attr: settings of the weight [size, A, B].
        bias_attr: settings of the bias [1, size]; False for no bias.

    Returns:
        A variable [N, size].
    """
    need_variable("bilinear_tensor_product: x", x)
    layer = LayerName("bilinear_tensor_product", name)
    weight = make_parameter(param_attr, [size, x.shape[1], y.shape[1]], x.dtype, layer=layer)
    bias = make_parameter(bias_attr, [1, size], x.dtype, is_bias=True, layer=layer)
    return activate(registry.get("bilinear_tensor_product")(x, y, weight, bias, name=layer), act, layer)
