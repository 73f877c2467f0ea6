"""Functions with a parameter of their own: prelu, row_conv, bilinear_tensor_product."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.layers.common import activate
from refluid.layers.numbers import need_variable
from refluid.ops import registry
from refluid.params.create import make_parameter
from refluid.params.initializer import Constant


def prelu(x: Any, mode: str, param_attr: Any = None, name: str | None = None) -> Any:
    """max(0, x) + alpha * min(0, x) with a trained alpha (He et al., 2015).

    Args:
        mode: "all" has one alpha, "channel" one per channel of [N, C, ...], "element" one per element of a sample.
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


def row_conv(input: Any, future_context_size: int, param_attr: Any = None, act: Any = None) -> Any:
    """Every step becomes a weighted sum of itself and the next future_context_size steps (Amodei et al., 2015).

    Args:
        input: a LoDTensor [total length, width], or [N, length, width].
    """
    need_variable("row_conv: input", input)
    layer = LayerName("row_conv")
    weight = make_parameter(param_attr, [future_context_size + 1, input.shape[-1]], input.dtype, layer=layer)
    return activate(registry.get("row_conv")(input, weight, name=layer), act, layer)


def bilinear_tensor_product(
    x: Any,
    y: Any,
    size: int,
    act: Any = None,
    name: str | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
) -> Any:
    """act(x . weight_i . y + bias_i) for i in [0, size); x is [N, A], y is [N, B]."""
    need_variable("bilinear_tensor_product: x", x)
    layer = LayerName("bilinear_tensor_product", name)
    weight = make_parameter(param_attr, [size, x.shape[1], y.shape[1]], x.dtype, layer=layer)
    bias = make_parameter(bias_attr, [1, size], x.dtype, is_bias=True, layer=layer)
    return activate(registry.get("bilinear_tensor_product")(x, y, weight, bias, name=layer), act, layer)
