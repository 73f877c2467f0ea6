"""Functions of LoDTensors: sequences of different lengths without padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable, need_variable
from refluid.layers.common import activate, add_bias, as_list, dtype_attr
from refluid.ops import registry
from refluid.ops.sequence.sequence_conv import sequence_conv as sequence_conv_op
from refluid.ops.sequence.sequence_pool import TYPES as POOL_TYPES, sequence_pool as sequence_pool_op
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter


def sequence_conv(
    input: BaseVariable,
    num_filters: int,
    filter_size: int = 3,
    filter_stride: int = 1,
    padding: bool | None = True,
    padding_start: int | None = None,
    bias_attr: AttrLike = None,
    param_attr: AttrLike = None,
    act: str | None = None,
    name: str | None = None,
) -> BaseVariable:
    """Convolution along sequences, with zeros beyond their ends.

    Args:
        input: a float LoDTensor [total length, D].
        num_filters: the number of output features.
        filter_size: the number of steps of the filter window.
        filter_stride: 1; no other stride is supported.
        padding: accepted; sequences are always padded.
        padding_start: the first step of the window relative to the current one; None for -(filter_size // 2).
        bias_attr: settings of the bias [num_filters]; False for no bias.
        param_attr: settings of the weight [filter_size * D, num_filters].
        act: the name of an activation, "relu" for example.

    Returns:
        A LoDTensor [total length, num_filters].
    """
    need_variable("sequence_conv: input", input)
    if filter_stride != 1:
        raise ArgumentError(f"sequence_conv: filter_stride must be 1, got {filter_stride!r}")
    layer = LayerName("sequence_conv", name)
    weight = make_parameter(param_attr, [filter_size * input.shape[1], num_filters], input.dtype, layer=layer)
    start = -int(filter_size // 2) if padding_start is None else padding_start
    out = sequence_conv_op(
        input, None, weight, name=layer, contextStride=filter_stride, contextStart=start, contextLength=filter_size
    )
    return activate(add_bias(out, bias_attr, layer, num_filters), act, layer)


def sequence_pool(input: BaseVariable, pool_type: str, is_test: bool = False, pad_value: float = 0.0) -> BaseVariable:
    """Reduce every sequence of the last LoD level to one row.

    Args:
        input: a float LoDTensor [total length, ...] with at least one LoD level.
        pool_type: "sum", "average", "sqrt" (the sum over the square root of the length), "max", "last" or "first".
        is_test: do not keep the argmax indices of "max".
        pad_value: the value of the row of an empty sequence.

    Returns:
        A variable [number of sequences, ...]; it has the outer LoD levels.

    Example:
        >>> x = fluid.data("x", [None, 8], lod_level=1)
        >>> fluid.layers.sequence_pool(x, "sum").shape
        (-1, 8)
    """
    kind = str(pool_type).upper()
    if kind not in POOL_TYPES:
        known = ", ".join(repr(name.lower()) for name in POOL_TYPES)
        raise ArgumentError(f"sequence_pool: pool_type must be one of {known}, got {pool_type!r}")
    out, index = sequence_pool_op(input, pooltype=kind, is_test=is_test, pad_value=float(pad_value))
    if kind == "MAX" and index is not None:
        index.stop_gradient = True
    return out


def sequence_first_step(input: BaseVariable) -> BaseVariable:
    """The first row of every sequence.

    Args:
        input: a float LoDTensor [total length, ...].

    Returns:
        A variable [number of sequences, ...].
    """
    return sequence_pool(input, "first")


def sequence_last_step(input: BaseVariable) -> BaseVariable:
    """The last row of every sequence.

    Args:
        input: a float LoDTensor [total length, ...].

    Returns:
        A variable [number of sequences, ...].

    Example:
        >>> x = fluid.data("x", [None, 8], lod_level=1)
        >>> fluid.layers.sequence_last_step(x).shape
        (-1, 8)
    """
    return sequence_pool(input, "last")


def sequence_softmax(input: BaseVariable, use_cudnn: bool = False, name: str | None = None) -> BaseVariable:
    """Softmax within every sequence.

    Args:
        input: a float LoDTensor [total length] or [total length, 1].
        use_cudnn: kept as an attribute of the operator; no effect.

    Returns:
        A LoDTensor of the shape and LoD of input.

    Example:
        >>> x = fluid.data("x", [None, 1], lod_level=1)
        >>> fluid.layers.sequence_softmax(x).shape
        (-1, 1)
    """
    return registry.get("sequence_softmax")(input, name=name, use_cudnn=use_cudnn)


def sequence_expand(x: BaseVariable, y: BaseVariable, ref_level: int = -1, name: str | None = None) -> BaseVariable:
    """Repeat every sequence (or row) of x as often as y has items at a LoD level.

    Args:
        x: a variable of any dtype [rows, ...] with at most one LoD level.
        y: a LoDTensor of any dtype and shape; sequence i of x is repeated as often as sequence i of y has items.
        ref_level: the LoD level of y; -1 for the last.

    Returns:
        A LoDTensor of the dtype of x.

    Example:
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 1], lod_level=1)
        >>> fluid.layers.sequence_expand(x, y).shape
        (-1, 8)
    """
    return registry.get("sequence_expand")(x, y, name=name, ref_level=ref_level)


def sequence_expand_as(x: BaseVariable, y: BaseVariable, name: str | None = None) -> BaseVariable:
    """Repeat row i of x once for every row of sequence i of y.

    Args:
        x: a variable [number of sequences of y, ...] of any dtype.
        y: a LoDTensor of any dtype and shape with one LoD level.

    Returns:
        A LoDTensor [rows of y, *x.shape[1:]] with the LoD of y.
    """
    return registry.get("sequence_expand_as")(x, y, name=name)


def sequence_concat(input: Sequence[BaseVariable], name: str | None = None) -> BaseVariable:
    """Join the i-th sequences of several LoDTensors, for every i.

    Args:
        input: a list of LoDTensors [length, D] of one dtype, with as many sequences and the same D.

    Returns:
        A LoDTensor [sum of the lengths, D].
    """
    return registry.get("sequence_concat")(as_list(input), name=name)


def sequence_slice(
    input: BaseVariable, offset: BaseVariable, length: BaseVariable, name: str | None = None
) -> BaseVariable:
    """A part of every sequence.

    Args:
        input: a LoDTensor [total length, ...] of any dtype.
        offset: the first step of each part, int64 [number of sequences, 1].
        length: the length of each part, int64 [number of sequences, 1].

    Returns:
        A LoDTensor [sum of the lengths, ...].
    """
    need_variable("sequence_slice: offset", offset)
    need_variable("sequence_slice: length", length)
    offset.stop_gradient = length.stop_gradient = True
    return registry.get("sequence_slice")(input, offset, length, name=name)


def sequence_pad(
    x: BaseVariable, pad_value: BaseVariable, maxlen: int | None = None, name: str | None = None
) -> tuple[BaseVariable, BaseVariable]:
    """Sequences as a padded dense variable.

    Args:
        x: a LoDTensor [total length, ...] of any dtype.
        pad_value: the padding, a variable of the dtype of x: [1] or of the shape of a step.
        maxlen: the padded length; None for that of the longest sequence.

    Returns:
        (a variable [number of sequences, maxlen, ...], the lengths, int64 [number of sequences]).

    Example:
        >>> x = fluid.data("x", [None, 8], lod_level=1)
        >>> zero = fluid.layers.fill_constant([1], "float32", 0.0)
        >>> padded, length = fluid.layers.sequence_pad(x, zero, maxlen=10)
        >>> padded.shape
        (-1, 10, 8)
    """
    need_variable("sequence_pad: pad_value", pad_value)
    pad_value.stop_gradient = True
    out, length = registry.get("sequence_pad")(x, pad_value, name=name, padded_length=-1 if maxlen is None else maxlen)
    length.stop_gradient = True
    return out, length


def sequence_unpad(x: BaseVariable, length: BaseVariable, name: str | None = None) -> BaseVariable:
    """Padded sequences as a LoDTensor.

    Args:
        x: a variable [N, padded length, ...] of any dtype.
        length: the lengths without padding, int64 [N].

    Returns:
        A LoDTensor [sum of the lengths, ...].

    Example:
        >>> x = fluid.data("x", [None, 10, 8])
        >>> length = fluid.data("length", [None], "int64")
        >>> fluid.layers.sequence_unpad(x, length).shape
        (-1, 8)
    """
    need_variable("sequence_unpad: length", length)
    length.stop_gradient = True
    return registry.get("sequence_unpad")(x, length, name=name)


def sequence_reshape(input: BaseVariable, new_dim: int) -> BaseVariable:
    """Rows of another width; sequences become longer or shorter accordingly.

    Args:
        input: a LoDTensor [total length, D] of any dtype with one LoD level.
        new_dim: the new width; it divides the number of elements of every sequence.

    Returns:
        A LoDTensor [total length * D / new_dim, new_dim].

    Example:
        >>> x = fluid.data("x", [None, 6], lod_level=1)
        >>> fluid.layers.sequence_reshape(x, 3).shape
        (-1, 3)
    """
    return registry.get("sequence_reshape")(input, new_dim=new_dim)


def sequence_reverse(x: BaseVariable, name: str | None = None) -> BaseVariable:
    """Every sequence in the opposite order.

    Args:
        x: a LoDTensor [total length, ...] of any dtype.

    Returns:
        A LoDTensor of the shape and LoD of x.
    """
    return registry.get("sequence_reverse")(x, name=name)


def sequence_mask(
    x: BaseVariable, maxlen: int | BaseVariable | None = None, dtype: Dtype = "int64", name: str | None = None
) -> BaseVariable:
    """1 for positions below each length, 0 for the others.

    Args:
        x: lengths, int32 or int64 [...].
        maxlen: the number of positions, an int or an int32 variable [1]; None for the greatest length.
        dtype: the dtype of the result.

    Returns:
        A variable [..., maxlen]; no gradient flows through it.

    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.layers.sequence_mask(fluid.dygraph.to_variable(np.array([1, 3])), maxlen=3).numpy().tolist()
        [[1, 0, 0], [1, 1, 1]]
    """
    attrs: dict[str, Any] = {"out_dtype": dtype_attr(dtype)}
    if not is_variable(maxlen):
        attrs["maxlen"] = -1 if maxlen is None else int(maxlen)
    out = registry.get("sequence_mask")(x, maxlen if is_variable(maxlen) else None, name=name, **attrs)
    out.stop_gradient = True
    return out


def sequence_enumerate(input: BaseVariable, win_size: int, pad_value: int = 0, name: str | None = None) -> BaseVariable:
    """Every id with the win_size - 1 ids that follow it in its sequence.

    Args:
        input: an int32 or int64 LoDTensor [total length, 1].
        win_size: the length of the windows.
        pad_value: the padding beyond the end of a sequence.

    Returns:
        A LoDTensor [total length, win_size]; no gradient flows through it.
    """
    out = registry.get("sequence_enumerate")(input, name=name, win_size=win_size, pad_value=pad_value)
    out.stop_gradient = True
    return out


def sequence_scatter(
    input: BaseVariable, index: BaseVariable, updates: BaseVariable, name: str | None = None
) -> BaseVariable:
    """Add the updates of sequence i to row i of input, at the columns that sequence i of index holds.

    Args:
        input: a variable [N, D] of any dtype.
        index: an int LoDTensor [total length, 1] of N sequences: columns of input.
        updates: a LoDTensor of the shape and LoD of index and the dtype of input.

    Returns:
        A variable [N, D].
    """
    return registry.get("sequence_scatter")(input, index, updates, name=name)


def lod_reset(x: BaseVariable, y: BaseVariable | None = None, target_lod: Sequence[int] | None = None) -> BaseVariable:
    """x with another LoD.

    Args:
        x: a variable of any dtype and shape.
        y: a LoDTensor whose LoD is used, or an int32 vector of offsets; it has priority over target_lod.
        target_lod: offsets of one level, such as [0, 2, 5].

    Returns:
        A LoDTensor with the elements of x.

    Example:
        >>> x = fluid.data("x", [6, 10])
        >>> fluid.layers.lod_reset(x, target_lod=[0, 4, 6]).shape
        (6, 10)
    """
    layer = LayerName("lod_reset")
    op = registry.get("lod_reset")
    if y is not None:
        return op(x, y, name=layer)
    if target_lod is None:
        raise ArgumentError("lod_reset: y or target_lod must be given")
    return op(x, name=layer, target_lod=[int(n) for n in target_lod])


def lod_append(x: BaseVariable, level: Sequence[int] | BaseVariable) -> BaseVariable:
    """x with one more LoD level, the innermost.

    Args:
        x: a variable of any dtype and shape.
        level: offsets of the level, such as [0, 1, 3], or a LoDTensor of any dtype whose LoD is used.

    Returns:
        A LoDTensor with the elements of x.
    """
    layer = LayerName("lod_append")
    op = registry.get("lod_reset")
    if is_variable(level):
        return op(x, level, name=layer, append=True)
    if not isinstance(level, list | tuple):
        raise ArgumentError(f"lod_append: level must be a list of offsets or a variable, got {level!r}")
    return op(x, name=layer, append=True, target_lod=[int(n) for n in level])
