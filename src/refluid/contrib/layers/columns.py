"""Functions of a few columns or slots of matrices, and of two operators in one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.layers.checks import need_variable
from refluid.layers.common import Activation, activate, as_list
from refluid.ops.math.fused_elemwise_activation import fused_elemwise_activation as fused_elemwise_activation_op
from refluid.ops.math.partial_sum import partial_sum as partial_sum_op
from refluid.ops.nn.batch_fc import batch_fc as batch_fc_op
from refluid.ops.nn.rank_attention import rank_attention as rank_attention_op
from refluid.ops.shape.partial_concat import partial_concat as partial_concat_op
from refluid.params.create import make_parameter

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.params.attr import AttrLike


def partial_concat(
    input: BaseVariable | Sequence[BaseVariable], start_index: int = 0, length: int = -1
) -> BaseVariable:
    """The same columns of matrices of one shape, concatenated.

    Args:
        input: a list of variables [N, columns].
        start_index: the first of the columns; a negative one counts from the end.
        length: how many; -1: all that follow.
    """
    layer = LayerName("partial_concat")
    return partial_concat_op(as_list(input), name=layer, start_index=start_index, length=length)


def partial_sum(input: BaseVariable | Sequence[BaseVariable], start_index: int = 0, length: int = -1) -> BaseVariable:
    """The sum of the same columns of matrices of one shape; the arguments are those of `partial_concat`."""
    return partial_sum_op(as_list(input), name=LayerName("partial_sum"), start_index=start_index, length=length)


def fused_elemwise_activation(
    x: BaseVariable,
    y: BaseVariable,
    functor_list: str | Sequence[str],
    axis: int = -1,
    scale: float = 0.0,
    save_intermediate_out: bool = True,
) -> BaseVariable:
    """A sum or product with an activation.

    Args:
        functor_list: two names, as a list or with a comma between: ["elementwise_add", "relu"] is x + relu(y),
            ["relu", "elementwise_add"] is relu(x + y). Also elementwise_mul, scale, tanh, sigmoid.
        axis: the axis of x at which the shape of y begins.
        scale: the factor of scale.
        save_intermediate_out: keep the result of the inner one for the gradient.
    """
    names = functor_list.split(",") if isinstance(functor_list, str) else functor_list
    if not isinstance(names, list) or len(names) != 2:
        raise ArgumentError(f"fused_elemwise_activation: functor_list must be two names, got {functor_list!r}")
    layer = LayerName("fused_elemwise_activation")
    return fused_elemwise_activation_op(
        x, y, name=layer, functor_list=names, axis=axis, scale=scale, save_intermediate_out=save_intermediate_out
    )[0]


def batch_fc(
    input: BaseVariable,
    param_size: Sequence[int],
    param_attr: AttrLike,
    bias_size: Sequence[int],
    bias_attr: AttrLike,
    act: Activation = None,
) -> BaseVariable:
    """A fully connected layer per slot (2.0-alpha).

    Args:
        input: [slots, N, width].
        param_size: [slots, width, outputs].
        bias_size: [slots, outputs].
        act: the name of an activation.
    Returns:
        [slots, N, outputs].
    """
    need_variable("batch_fc: input", input)
    layer = LayerName("batch_fc")
    weights = make_parameter(param_attr, param_size, input.dtype, layer=layer)
    bias = make_parameter(bias_attr, bias_size, input.dtype, layer=layer)
    return activate(batch_fc_op(input, weights, bias, name=layer), act, layer)


def rank_attention(
    input: BaseVariable,
    rank_offset: BaseVariable,
    rank_param_shape: Sequence[int],
    rank_param_attr: AttrLike,
    max_rank: int = 3,
    max_size: int = 0,
) -> BaseVariable:
    """A product whose weights depend on the ranks of an item and of the others on its page.

    Args:
        input: [N, width].
        rank_offset: int32 [N, 1 + 2 * max_rank]: an item's rank (from 1), then the rank and the row of each other; 0
            for none.
        rank_param_shape: [width * max_rank * max_rank, outputs].
        max_size: how many rows 2.0-alpha keeps memory for; here there is no limit.
    Returns:
        [N, outputs]; input gets no gradient.
    """
    need_variable("rank_attention: input", input)
    if len(input.shape) != 2:
        raise ShapeError(f"rank_attention: input must be [N, width], got {list(input.shape)}")
    if input.shape[1] * max_rank * max_rank != rank_param_shape[0]:
        raise ShapeError(
            f"rank_attention: rank_param_shape must begin with width * max_rank * max_rank = "
            f"{input.shape[1] * max_rank * max_rank}, got {list(rank_param_shape)}"
        )
    layer = LayerName("rank_attention")
    weights = make_parameter(rank_param_attr, rank_param_shape, input.dtype, layer=layer)
    return rank_attention_op(input, rank_offset, weights, name=layer, MaxRank=max_rank)
