"""Functions of texts that are matched word by word, and of the ragged images this makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ShapeError
from refluid.core.naming import LayerName
from refluid.core.types import Dtype, Ints
from refluid.layers.checks import need_variable
from refluid.layers.common import Activation, activate, pair
from refluid.ops.sequence.fused_embedding_seq_pool import fused_embedding_seq_pool as fused_embedding_seq_pool_op
from refluid.ops.sequence.match_matrix_tensor import match_matrix_tensor as match_matrix_tensor_op
from refluid.ops.sequence.sequence_topk_avg_pooling import sequence_topk_avg_pooling as sequence_topk_avg_pooling_op
from refluid.ops.sequence.var_conv_2d import var_conv_2d as var_conv_2d_op
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


def match_matrix_tensor(
    x: BaseVariable,
    y: BaseVariable,
    channel_num: int,
    act: Activation = None,
    param_attr: AttrLike = None,
    dtype: Dtype = "float32",
    name: str | None = None,
) -> tuple[Any, Any]:
    """Every word of a text against every word of another, by channel_num bilinear forms.

    Args:
        x, y: LoDTensors [total length, width], as many sequences in both.
    Returns:
        (LoDTensor [.., 1]: each sequence is [channel_num, words of x, words of y], flattened; x times the forms).
    """
    need_variable("match_matrix_tensor: x", x)
    need_variable("match_matrix_tensor: y", y)
    if len(x.shape) != 2 or len(y.shape) != 2 or x.shape[1] != y.shape[1]:
        raise ShapeError(
            f"match_matrix_tensor: x and y must be [total length, width], got {list(x.shape)} and {list(y.shape)}"
        )
    layer = LayerName("match_matrix_tensor", name)
    weight = make_parameter(param_attr, [x.shape[1], channel_num, y.shape[1]], dtype, layer=layer)
    out, product = match_matrix_tensor_op(x, y, weight, name=layer, dim_t=channel_num)
    product.stop_gradient = True
    return activate(out, act, layer), product


def var_conv_2d(
    input: BaseVariable,
    row: BaseVariable,
    col: BaseVariable,
    input_channel: int,
    output_channel: int,
    filter_size: Ints,
    stride: Ints = 1,
    param_attr: AttrLike = None,
    act: Activation = None,
    dtype: Dtype = "float32",
    name: str | None = None,
) -> BaseVariable:
    """Convolution over images of different sizes, with zeros around them.

    Args:
        input: LoDTensor [.., 1]: each sequence is [input_channel, height, width], flattened.
        row, col: LoDTensors whose lengths are the heights and the widths.
        filter_size, stride: a number, or one for the height and one for the width.
    Returns:
        LoDTensor [.., 1]: each sequence is [output_channel, (height - 1) // stride + 1, ..], flattened.
    """
    for argument, value in (("input", input), ("row", row), ("col", col)):
        need_variable(f"var_conv_2d: {argument}", value)
    layer = LayerName("var_conv_2d", name)
    (kernel_h, kernel_w), (stride_h, stride_w) = pair(filter_size), pair(stride)
    shape = [int(output_channel), int(input_channel) * kernel_h * kernel_w]
    weight = make_parameter(param_attr, shape, dtype, layer=layer)
    out, patches = var_conv_2d_op(
        input, row, col, weight, name=layer, InputChannel=input_channel, OutputChannel=output_channel,
        StrideH=stride_h, StrideW=stride_w, KernelH=kernel_h, KernelW=kernel_w,
    )  # fmt: skip
    patches.stop_gradient = True
    return activate(out, act, layer)


def sequence_topk_avg_pooling(
    input: BaseVariable, row: BaseVariable, col: BaseVariable, topks: list[int], channel_num: int
) -> BaseVariable:
    """Averages of the k largest numbers in every row of ragged images, for every k in topks.

    Args:
        input: LoDTensor [.., 1]: each sequence is [channel_num, height, width], flattened.
        row, col: LoDTensors whose lengths are the heights and the widths.
    Returns:
        LoDTensor [all rows, channel_num * len(topks)] with the LoD of row.
    """
    layer = LayerName("sequence_topk_avg_pooling")
    out, places = sequence_topk_avg_pooling_op(input, row, col, name=layer, topks=topks, channel_num=channel_num)
    places.stop_gradient = True
    return out


def fused_embedding_seq_pool(
    input: BaseVariable,
    size: Sequence[int],
    is_sparse: bool = False,
    padding_idx: int | None = None,
    combiner: str = "sum",
    param_attr: AttrLike = None,
    dtype: Dtype = "float32",
) -> BaseVariable:
    """The sum of the embeddings of every sequence of ids.

    Args:
        input: int64 LoDTensor [total length, 1].
        size: [rows, width] of the table.
        padding_idx: an id that counts as zeros; a negative one counts from the end.
        combiner: "sum".
    Returns:
        [number of sequences, width].
    """
    need_variable("fused_embedding_seq_pool: input", input)
    layer = LayerName("fused_embedding_seq_pool")
    table = make_parameter(param_attr, size, dtype, layer=layer)
    padding = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else size[0] + padding_idx
    return fused_embedding_seq_pool_op(
        table, input, name=layer, is_sparse=is_sparse, combiner=combiner, padding_idx=padding
    )
