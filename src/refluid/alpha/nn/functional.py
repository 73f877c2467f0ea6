"""Functions of paddle.nn.functional whose arguments differ from those of fluid.layers."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import integer, need_variable
from refluid.layers.common import Activation, activate, dtype_attr, over
from refluid.ops import registry
from refluid.ops.activation.rectifiers import relu as relu_op
from refluid.ops.activation.sigmoids import sigmoid as sigmoid_op
from refluid.ops.activation.softmax import log_softmax as log_softmax_op
from refluid.ops.shape.cast import cast as cast_op


def relu(input: BaseVariable, inplace: bool = False, name: str | None = None) -> BaseVariable:
    """max(input, 0), elementwise.

    Args:
        input: a float variable of any shape.
        inplace: the result overwrites the input; no effect in the imperative mode.

    Returns:
        A variable with the shape of input.
    """
    return relu_op(input, name=name, outs=over(input, inplace))


def sigmoid(input: BaseVariable, inplace: bool = False, name: str | None = None) -> BaseVariable:
    """1 / (1 + exp(-input)), elementwise.

    Args:
        input: a float variable of any shape.
        inplace: the result overwrites the input; no effect in the imperative mode.

    Returns:
        A variable with the shape of input.
    """
    return sigmoid_op(input, name=name, outs=over(input, inplace))


def log_softmax(
    input: BaseVariable, axis: int | None = None, dtype: Dtype | None = None, name: str | None = None
) -> BaseVariable:
    """log(softmax(input)) along an axis, computed in one stable step.

    fluid.layers.log_softmax takes the logarithm of the finished softmax, which is -inf where that one is 0.

    Args:
        input: a float variable of any shape.
        axis: the axis; the last one if None.
        dtype: input is cast to this dtype first, if given.

    Returns:
        A variable with the shape of input.
    """
    need_variable("log_softmax: input", input)
    layer = LayerName("log_softmax", name)
    if dtype is not None:
        input = cast_op(input, name=layer, in_dtype=int(input.dtype), out_dtype=dtype_attr(dtype))
    return log_softmax_op(input, axis=-1 if axis is None else axis, name=layer)


def row_conv(input: BaseVariable, weight: BaseVariable, act: Activation = None) -> BaseVariable:
    """Row convolution: every step is a weighted sum of itself and the next steps (Amodei et al., 2015).

    Args:
        input: a float LoDTensor of shape [total length, width], or a variable of shape [N, length, width].
        weight: a float variable of shape [number of next steps + 1, width].
        act: the name of an activation.

    Returns:
        A variable with the shape of input.
    """
    layer = LayerName("row_conv")
    return activate(registry.get("row_conv")(input, weight, name=layer), act, layer)


def hsigmoid(
    input: BaseVariable,
    label: BaseVariable,
    weight: BaseVariable,
    bias: BaseVariable | None,
    num_classes: int,
    path_table: BaseVariable | None = None,
    path_code: BaseVariable | None = None,
    is_sparse: bool = False,
) -> BaseVariable:
    """Hierarchical sigmoid loss: classes are leaves of a binary tree, and every decision on the path counts.

    Args:
        input: float features of shape [N, D].
        label: an int64 variable of shape [N, 1].
        weight: a float variable of shape [inner nodes, D].
        bias: a float variable of shape [inner nodes, 1], or None.
        num_classes: the number of classes of a complete binary tree, which has one inner node less; 2 or more.
        path_table: for a custom tree, the nodes on the path of every sample: int64 [N, longest path], -1 after the end.
        path_code: the decisions at these nodes, of the dtype and shape of path_table.
        is_sparse: the gradient of the weight is sparse (SelectedRows): only the nodes on the paths.

    Returns:
        A variable of shape [N, 1].
    """
    if (path_table is None) != (path_code is None):
        raise ArgumentError("hsigmoid: path_table and path_code go together")
    if path_table is None or num_classes is not None:
        num_classes = integer("hsigmoid: num_classes", num_classes)
    if path_table is None and num_classes < 2:
        raise ArgumentError(f"hsigmoid: num_classes must be 2 or more, got {num_classes!r}")
    out, _, _ = registry.get("hierarchical_sigmoid")(
        input, weight, label, path_table, path_code, bias, name=LayerName("hierarchical_sigmoid"),
        outs={"W_Out": weight}, num_classes=num_classes, is_sparse=is_sparse, remote_prefetch=is_sparse,
    )  # fmt: skip
    return out
