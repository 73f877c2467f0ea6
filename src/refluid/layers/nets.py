"""fluid.nets: a few layers that often come together."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.layers.activation import sigmoid
from refluid.layers.batch_norm import batch_norm
from refluid.layers.conv import conv2d
from refluid.layers.dropout import dropout
from refluid.layers.elementwise import elementwise_mul
from refluid.layers.fc import fc
from refluid.layers.math import matmul, scale
from refluid.layers.pool import pool2d
from refluid.layers.sequence import sequence_conv, sequence_pool
from refluid.layers.shape import reshape, split, transpose


def simple_img_conv_pool(
    input: Any,
    num_filters: int,
    filter_size: Any,
    pool_size: Any,
    pool_stride: Any,
    pool_padding: Any = 0,
    pool_type: str = "max",
    global_pooling: bool = False,
    conv_stride: Any = 1,
    conv_padding: Any = 0,
    conv_dilation: Any = 1,
    conv_groups: int = 1,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: Any = None,
    use_cudnn: bool = True,
) -> Any:
    """conv2d, then pool2d."""
    out = conv2d(
        input, num_filters, filter_size, conv_stride, conv_padding, conv_dilation, conv_groups, param_attr, bias_attr,
        use_cudnn, act,
    )  # fmt: skip
    return pool2d(out, pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn)


def img_conv_group(
    input: Any,
    conv_num_filter: list[int],
    pool_size: Any,
    conv_padding: Any = 1,
    conv_filter_size: Any = 3,
    conv_act: Any = None,
    param_attr: Any = None,
    conv_with_batchnorm: Any = False,
    conv_batchnorm_drop_rate: Any = 0.0,
    pool_stride: Any = 1,
    pool_type: str = "max",
    use_cudnn: bool = True,
) -> Any:
    """Several convolutions, each with batch normalisation and dropout if asked for, then pool2d.

    Args:
        conv_num_filter: the filters of each convolution.
        conv_padding, conv_filter_size, param_attr, conv_with_batchnorm, conv_batchnorm_drop_rate: one value for all
            convolutions, or a list with one for each.
        conv_act: the activation, after the batch normalisation where there is one.
    """
    if not isinstance(conv_num_filter, list | tuple):
        raise ArgumentError(f"img_conv_group: conv_num_filter must be a list, got {conv_num_filter!r}")

    def each(value: Any, what: str) -> list[Any]:
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
    input: Any,
    num_filters: int,
    filter_size: int,
    param_attr: Any = None,
    act: Any = "sigmoid",
    pool_type: str = "max",
    bias_attr: Any = None,
) -> Any:
    """sequence_conv, then sequence_pool: a vector of num_filters for every sequence."""
    out = sequence_conv(input, num_filters, filter_size, param_attr=param_attr, bias_attr=bias_attr, act=act)
    return sequence_pool(out, pool_type)


def glu(input: Any, dim: int = -1) -> Any:
    """a * sigmoid(b), where a and b are the halves of the input along an axis (Dauphin et al., 2016)."""
    first, second = split(input, num_or_sections=2, dim=dim)
    return elementwise_mul(first, sigmoid(second))


def scaled_dot_product_attention(
    queries: Any, keys: Any, values: Any, num_heads: int = 1, dropout_rate: float = 0.0
) -> Any:
    """softmax(queries . keys / sqrt(width)) . values (Vaswani et al., 2017).

    Args:
        queries: [N, length, width]; keys: [N, memory, width]; values: [N, memory, value width].
        num_heads: with more than one, each is projected first and attends on its own.
        dropout_rate: of the weights.
    Returns:
        [N, length, value width].
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


def _check_attention(queries: Any, keys: Any, values: Any, num_heads: int) -> None:
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


def _split_heads(x: Any, num_heads: int) -> Any:
    """[N, length, heads * width] as [N, heads, length, width]."""
    if num_heads == 1:
        return x
    return transpose(reshape(x, shape=[*x.shape[:-1], num_heads, x.shape[-1] // num_heads]), perm=[0, 2, 1, 3])
