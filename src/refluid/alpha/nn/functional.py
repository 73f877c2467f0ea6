"""Functions of paddle.nn.functional whose arguments differ from those of fluid.layers."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.common import activate, dtype_attr, over
from refluid.layers.numbers import need_variable, whole
from refluid.ops import registry
from refluid.ops.activation.rectifiers import relu as relu_op
from refluid.ops.activation.sigmoids import sigmoid as sigmoid_op
from refluid.ops.activation.softmax import log_softmax as log_softmax_op
from refluid.ops.shape.cast import cast as cast_op


def relu(input: Any, inplace: bool = False, name: str | None = None) -> Any:
    """max(input, 0); with inplace the result takes the input's place, but not in the imperative mode."""
    return relu_op(input, name=name, outs=over(input, inplace))


def sigmoid(input: Any, inplace: bool = False, name: str | None = None) -> Any:
    """1 / (1 + exp(-input)); with inplace the result takes the input's place, but not in the imperative mode."""
    return sigmoid_op(input, name=name, outs=over(input, inplace))


def log_softmax(input: Any, axis: int | None = None, dtype: Any = None, name: str | None = None) -> Any:
    """log(softmax(input)) along the axis (the last unless given), computed in `dtype` if that is given.

    fluid.layers.log_softmax takes the logarithm of the finished softmax, which is -inf where that one is 0.
    """
    need_variable("log_softmax: input", input)
    layer = LayerName("log_softmax", name)
    if dtype is not None:
        input = cast_op(input, name=layer, in_dtype=int(input.dtype), out_dtype=dtype_attr(dtype))
    return log_softmax_op(input, axis=-1 if axis is None else axis, name=layer)


def row_conv(input: Any, weight: Any, act: Any = None) -> Any:
    """Every step becomes a weighted sum of itself and the next ones (Amodei et al., 2015).

    Args:
        input: a LoDTensor [total length, width], or [N, length, width].
        weight: [steps ahead + 1, width].
    """
    layer = LayerName("row_conv")
    return activate(registry.get("row_conv")(input, weight, name=layer), act, layer)


def hsigmoid(
    input: Any,
    label: Any,
    weight: Any,
    bias: Any,
    num_classes: int,
    path_table: Any = None,
    path_code: Any = None,
    is_sparse: bool = False,
) -> Any:
    """The classes are leaves of a tree; the loss is that of the decisions on the way to the label.

    Args:
        input: features [N, D]; label: int64 [N, 1].
        weight: [inner nodes, D]; bias: [inner nodes, 1] or None.
        num_classes: of the complete binary tree, which has one inner node less; 2 or more.
        path_table, path_code: for a tree of your own, int64 [N, longest way]: the nodes and decisions, -1 behind the
            end.
        is_sparse: the gradient of the weight holds only the nodes passed (SelectedRows).
    Returns:
        [N, 1].
    """
    if (path_table is None) != (path_code is None):
        raise ArgumentError("hsigmoid: path_table and path_code go together")
    if path_table is None or num_classes is not None:
        num_classes = whole("hsigmoid: num_classes", num_classes)
    if path_table is None and num_classes < 2:
        raise ArgumentError(f"hsigmoid: num_classes must be 2 or more, got {num_classes!r}")
    out, _, _ = registry.get("hierarchical_sigmoid")(
        input, weight, label, path_table, path_code, bias, name=LayerName("hierarchical_sigmoid"),
        outs={"W_Out": weight}, num_classes=num_classes, is_sparse=is_sparse, remote_prefetch=is_sparse,
    )  # fmt: skip
    return out
