"""fluid.nets: layers that are often used together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.types import Ints
from refluid.ir.base_variable import BaseVariable
from refluid.layers.activation import sigmoid
from refluid.layers.batch_norm import batch_norm
from refluid.layers.common import Padding
from refluid.layers.conv import conv2d
from refluid.layers.dropout import dropout
from refluid.layers.elementwise import elementwise_mul
from refluid.layers.fc import fc
from refluid.layers.math import matmul, scale
from refluid.layers.pool import pool2d
from refluid.layers.sequence import sequence_conv, sequence_pool
from refluid.layers.shape import reshape, split, transpose
from refluid.params.attr import AttrLike


def simple_img_conv_pool(
    input: BaseVariable,
    num_filters: int,
    filter_size: Ints,
    pool_size: Ints,
    pool_stride: Ints,
    pool_padding: Padding = 0,
    pool_type: str = "max",
    global_pooling: bool = False,
    conv_stride: Ints = 1,
    conv_padding: Padding = 0,
    conv_dilation: Ints = 1,
    conv_groups: int = 1,
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    act: str | None = None,
    use_cudnn: bool = True,
) -> BaseVariable:
    """conv2d, then pool2d.

    Args:
        input: a float variable [N, C, H, W].
        num_filters: the number of output channels.
        filter_size: the size of the filter window, an int or [height, width].
        pool_size: the size of the pooling window, likewise.
        pool_stride: its step, likewise.
        pool_padding: its padding, as pool2d has it.
        pool_type: "max" or "avg".
        global_pooling: one pooling window over the whole image.
        conv_stride: the step of the filter window, an int or [height, width].
        conv_padding: its padding, as conv2d has it.
        conv_dilation: the distance of the filter's elements, an int or [height, width].
        conv_groups: the number of groups of channels.
        param_attr: settings of the weight.
        bias_attr: settings of the bias; False for no bias.
        act: the activation of the convolution.
        use_cudnn: as conv2d has it.

    Returns:
        A variable [N, num_filters, H', W'].

    Example:
        >>> image = fluid.data("image", [None, 1, 28, 28])
        >>> fluid.nets.simple_img_conv_pool(image, 20, filter_size=5, pool_size=2, pool_stride=2, act="relu").shape
        (-1, 20, 12, 12)
    """
    out = conv2d(
        input, num_filters, filter_size, conv_stride, conv_padding, conv_dilation, conv_groups, param_attr, bias_attr,
        use_cudnn, act,
    )  # fmt: skip
    return pool2d(out, pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn)


def img_conv_group(
    input: BaseVariable,
    conv_num_filter: Sequence[int],
    pool_size: Ints,
    conv_padding: Ints = 1,
    conv_filter_size: Ints = 3,
    conv_act: str | None = None,
    param_attr: AttrLike | Sequence[AttrLike] = None,
    conv_with_batchnorm: bool | Sequence[bool] = False,
    conv_batchnorm_drop_rate: float | Sequence[float] = 0.0,
    pool_stride: Ints = 1,
    pool_type: str = "max",
    use_cudnn: bool = True,
) -> BaseVariable:
    """Several convolutions, with batch normalization and dropout if asked for, then pool2d.

    Args:
        input: a float variable [N, C, H, W].
        conv_num_filter: the number of filters of each convolution.
        pool_size: the size of the pooling window, an int or [height, width].
        conv_padding: the padding of the convolutions; one for all, or a list with one for each.
        conv_filter_size: the size of their windows, likewise.
        conv_act: their activation, after the batch normalization where there is one.
        param_attr: settings of their weights; one for all, or a list with one for each.
        conv_with_batchnorm: whether a batch normalization follows, likewise.
        conv_batchnorm_drop_rate: the dropout probability after the batch normalization, likewise.
        pool_stride: the step of the pooling window, an int or [height, width].
        pool_type: "max" or "avg".
        use_cudnn: as conv2d has it.

    Returns:
        A variable [N, conv_num_filter[-1], H', W'].

    Example:
        >>> image = fluid.data("image", [None, 3, 32, 32])
        >>> fluid.nets.img_conv_group(image, [8, 8], pool_size=2, pool_stride=2, conv_act="relu").shape
        (-1, 8, 16, 16)
    """
    if not isinstance(conv_num_filter, list | tuple):
        raise ArgumentError(f"img_conv_group: conv_num_filter must be a list, got {conv_num_filter!r}")

    def each(value: object, what: str) -> list[Any]:
        values = list(value) if isinstance(value, list | tuple) else [value] * len(conv_num_filter)
        if len(values) != len(conv_num_filter):
            raise ArgumentError(f"img_conv_group: {len(conv_num_filter)} convolutions, but {len(values)} {what}")
        return values

    paddings, sizes = each(conv_padding, "conv_padding"), each(conv_filter_size, "conv_filter_size")
    attrs, normalised = each(param_attr, "param_attr"), each(conv_with_batchnorm, "conv_with_batchnorm")
    rates = each(conv_batchnorm_drop_rate, "conv_batchnorm_drop_rate")
    out = input
    for i, filters in enumerate(conv_num_filter):
        out = conv2d(
            out, filters, sizes[i], padding=paddings[i], param_attr=attrs[i], use_cudnn=use_cudnn,
            act=None if normalised[i] else conv_act,
        )  # fmt: skip
        if normalised[i]:
            out = batch_norm(out, act=conv_act)
            if abs(rates[i]) > 1e-5:
                out = dropout(out, dropout_prob=rates[i])
    return pool2d(out, pool_size, pool_type, pool_stride, use_cudnn=use_cudnn)


def sequence_conv_pool(
    input: BaseVariable,
    num_filters: int,
    filter_size: int,
    param_attr: AttrLike = None,
    act: str | None = "sigmoid",
    pool_type: str = "max",
    bias_attr: AttrLike = None,
) -> BaseVariable:
    """sequence_conv, then sequence_pool.

    Args:
        input: a float LoDTensor [total length, D].
        num_filters: the number of output features.
        filter_size: the number of steps of the filter window.
        param_attr: settings of the weight [filter_size * D, num_filters].
        act: the activation of the convolution.
        pool_type: "sum", "average", "sqrt", "max", "last" or "first".
        bias_attr: settings of the bias [num_filters]; False for no bias.

    Returns:
        A variable [number of sequences, num_filters].

    Example:
        >>> words = fluid.data("words", [None, 16], lod_level=1)
        >>> fluid.nets.sequence_conv_pool(words, num_filters=32, filter_size=3).shape
        (-1, 32)
    """
    out = sequence_conv(input, num_filters, filter_size, param_attr=param_attr, bias_attr=bias_attr, act=act)
    return sequence_pool(out, pool_type)


def glu(input: BaseVariable, dim: int = -1) -> BaseVariable:
    """Gated linear unit: a * sigmoid(b), with a and b the halves of the input along an axis (Dauphin et al., 2016).

    Args:
        input: a float variable of any shape with an even size along the axis.
        dim: the axis.

    Returns:
        A variable with half the size along the axis.
    """
    first, second = split(input, num_or_sections=2, dim=dim)
    return elementwise_mul(first, sigmoid(second))


def scaled_dot_product_attention(
    queries: BaseVariable, keys: BaseVariable, values: BaseVariable, num_heads: int = 1, dropout_rate: float = 0.0
) -> BaseVariable:
    """softmax(queries @ keys^T / sqrt(D)) @ values, per head (Vaswani et al., 2017).

    Args:
        queries: a float variable [N, length, D].
        keys: a float variable [N, memory, D].
        values: a float variable [N, memory, V].
        num_heads: with more than one, queries, keys and values are projected first, and each head attends on its own.
        dropout_rate: the dropout probability of the attention weights.

    Returns:
        A variable [N, length, V].
    """
    _check_attention(queries, keys, values, num_heads)
    if num_heads > 1:
        queries, keys, values = (fc(x, size=x.shape[-1], num_flatten_dims=2) for x in (queries, keys, values))
    q, k, v = (_split_heads(x, num_heads) for x in (queries, keys, values))
    product = matmul(scale(q, scale=(queries.shape[-1] // num_heads) ** -0.5), k, transpose_y=True)
    weights = reshape(reshape(product, shape=[-1, product.shape[-1]], act="softmax"), shape=list(product.shape))
    if dropout_rate:
        weights = dropout(weights, dropout_prob=dropout_rate, is_test=False)
    context = matmul(weights, v)
    if num_heads == 1:
        return context
    joined = transpose(context, perm=[0, 2, 1, 3])
    return reshape(joined, shape=[joined.shape[0], joined.shape[1], values.shape[-1]])


def _check_attention(queries: BaseVariable, keys: BaseVariable, values: BaseVariable, num_heads: int) -> None:
    name = "scaled_dot_product_attention"
    for what, x in (("queries", queries), ("keys", keys), ("values", values)):
        if len(x.shape) != 3:
            raise ShapeError(f"{name}: {what} must have 3 axes, got {x.name} {list(x.shape)}")
    if queries.shape[-1] != keys.shape[-1]:
        raise ShapeError(f"{name}: queries have the width {queries.shape[-1]}, but keys {keys.shape[-1]}")
    if keys.shape[-2] != values.shape[-2]:
        raise ShapeError(f"{name}: there are {keys.shape[-2]} keys, but {values.shape[-2]} values")
    if keys.shape[-1] % num_heads or values.shape[-1] % num_heads:
        raise ShapeError(
            f"{name}: num_heads={num_heads} must divide the widths of keys ({keys.shape[-1]}) and values "
            f"({values.shape[-1]})"
        )


def _split_heads(x: BaseVariable, num_heads: int) -> BaseVariable:
    """[N, length, heads * width] as [N, heads, length, width]."""
    if num_heads == 1:
        return x
    return transpose(reshape(x, shape=[*x.shape[:-1], num_heads, x.shape[-1] // num_heads]), perm=[0, 2, 1, 3])
