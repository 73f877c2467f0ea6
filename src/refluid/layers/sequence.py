"""Functions of sequences without padding: LoDTensors."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.common import activate, add_bias, as_list, dtype_attr
from refluid.layers.numbers import is_variable, need_variable
from refluid.ops import registry
from refluid.ops.sequence.sequence_conv import sequence_conv as sequence_conv_op
from refluid.ops.sequence.sequence_pool import TYPES as POOL_TYPES, sequence_pool as sequence_pool_op
from refluid.params.create import make_parameter


def sequence_conv(
    input: Any,
    num_filters: int,
    filter_size: int = 3,
    filter_stride: int = 1,
    padding: Any = True,
    padding_start: int | None = None,
    bias_attr: Any = None,
    param_attr: Any = None,
    act: Any = None,
    name: str | None = None,
) -> Any:
    """Convolution along sequences; steps beyond an end count as zeros.

    Args:
        input: LoDTensor [total length, width].
        filter_size: how many steps a filter sees.
        filter_stride: 1, the only one there is.
        padding: accepted; 1.8 always pads, 1.5 passed None.
        padding_start: where the filter begins, relative to the step; -(filter_size // 2) by default.
    Returns:
        LoDTensor [total length, num_filters].
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


def sequence_pool(input: Any, pool_type: str, is_test: bool = False, pad_value: float = 0.0) -> Any:
    """Reduce every sequence of the last LoD level to one row.

    Args:
        input: LoDTensor of shape [total length, ...] with at least one LoD level.
        pool_type: "sum", "average", "sqrt", "max", "last" or "first".
        pad_value: the value of the row given to an empty sequence.
    Returns:
        Tensor of shape [number of sequences, ...]; it carries the outer LoD levels.
    """
    kind = str(pool_type).upper()
    if kind not in POOL_TYPES:
        known = ", ".join(repr(one.lower()) for one in POOL_TYPES)
        raise ArgumentError(f"sequence_pool: pool_type must be one of {known}, got {pool_type!r}")
    out, index = sequence_pool_op(input, pooltype=kind, is_test=is_test, pad_value=float(pad_value))
    if kind == "MAX" and index is not None:
        index.stop_gradient = True
    return out


def sequence_first_step(input: Any) -> Any:
    """The first row of every sequence."""
    return sequence_pool(input, "first")


def sequence_last_step(input: Any) -> Any:
    """The last row of every sequence."""
    return sequence_pool(input, "last")


def sequence_softmax(input: Any, use_cudnn: bool = False, name: str | None = None) -> Any:
    """softmax within every sequence of input [total length] or [total length, 1]."""
    return registry.get("sequence_softmax")(input, name=name, use_cudnn=use_cudnn)


def sequence_expand(x: Any, y: Any, ref_level: int = -1, name: str | None = None) -> Any:
    """Repeat every sequence (or row) of x as often as the sequence of y has items at LoD level ref_level."""
    return registry.get("sequence_expand")(x, y, name=name, ref_level=ref_level)


def sequence_expand_as(x: Any, y: Any, name: str | None = None) -> Any:
    """Repeat row i of x once for every row of sequence i of y; the result has y's LoD."""
    return registry.get("sequence_expand_as")(x, y, name=name)


def sequence_concat(input: list[Any], name: str | None = None) -> Any:
    """Join sequence i of all inputs, for every i."""
    return registry.get("sequence_concat")(as_list(input), name=name)


def sequence_slice(input: Any, offset: Any, length: Any, name: str | None = None) -> Any:
    """A part of every sequence; offset and length are [number of sequences, 1]."""
    need_variable("sequence_slice: offset", offset)
    need_variable("sequence_slice: length", length)
    offset.stop_gradient = length.stop_gradient = True
    return registry.get("sequence_slice")(input, offset, length, name=name)


def sequence_pad(x: Any, pad_value: Any, maxlen: int | None = None, name: str | None = None) -> Any:
    """Sequences as a dense tensor.

    Args:
        x: LoDTensor [total length, ...].
        pad_value: a variable: what stands behind the ends, [1] or the shape of a step.
        maxlen: the length of the result; the longest sequence by default.
    Returns:
        ([number of sequences, maxlen, ...], the lengths as int64).
    """
    need_variable("sequence_pad: pad_value", pad_value)
    pad_value.stop_gradient = True
    out, length = registry.get("sequence_pad")(x, pad_value, name=name, padded_length=-1 if maxlen is None else maxlen)
    length.stop_gradient = True
    return out, length


def sequence_unpad(x: Any, length: Any, name: str | None = None) -> Any:
    """A dense tensor [N, maxlen, ...] as sequences of the given int64 lengths [N]."""
    need_variable("sequence_unpad: length", length)
    length.stop_gradient = True
    return registry.get("sequence_unpad")(x, length, name=name)


def sequence_reshape(input: Any, new_dim: int) -> Any:
    """Give rows the width new_dim; sequences become longer or shorter accordingly."""
    return registry.get("sequence_reshape")(input, new_dim=new_dim)


def sequence_reverse(x: Any, name: str | None = None) -> Any:
    """Every sequence from its end to its beginning."""
    return registry.get("sequence_reverse")(x, name=name)


def sequence_mask(x: Any, maxlen: Any = None, dtype: Any = "int64", name: str | None = None) -> Any:
    """1 for the positions below each length, else 0: [..., maxlen].

    Args:
        x: lengths [...].
        maxlen: a number, a variable, or None for the greatest length.
    """
    attrs: dict[str, Any] = {"out_dtype": dtype_attr(dtype)}
    if not is_variable(maxlen):
        attrs["maxlen"] = -1 if maxlen is None else int(maxlen)
    out = registry.get("sequence_mask")(x, maxlen if is_variable(maxlen) else None, name=name, **attrs)
    out.stop_gradient = True
    return out


def sequence_enumerate(input: Any, win_size: int, pad_value: int = 0, name: str | None = None) -> Any:
    """Every id and the win_size - 1 ids after it, pad_value beyond the end: [total length, win_size]."""
    out = registry.get("sequence_enumerate")(input, name=name, win_size=win_size, pad_value=pad_value)
    out.stop_gradient = True
    return out


def sequence_scatter(input: Any, index: Any, updates: Any, name: str | None = None) -> Any:
    """Add the updates of sequence i to row i of input, at the columns that sequence i of index names."""
    return registry.get("sequence_scatter")(input, index, updates, name=name)


def lod_reset(x: Any, y: Any = None, target_lod: list[int] | None = None) -> Any:
    """x with another LoD.

    Args:
        y: a LoDTensor whose LoD is taken, or int32 offsets; it goes before target_lod.
        target_lod: offsets, such as [0, 2, 5].
    """
    layer = LayerName("lod_reset")
    op = registry.get("lod_reset")
    if y is not None:
        return op(x, y, name=layer)
    if target_lod is None:
        raise ArgumentError("lod_reset: y or target_lod must be given")
    return op(x, name=layer, target_lod=[int(n) for n in target_lod])


def lod_append(x: Any, level: Any) -> Any:
    """x with one more LoD level, the innermost.

    Args:
        level: offsets, such as [0, 1, 3], or a LoDTensor whose LoD is taken.
    """
    layer = LayerName("lod_append")
    op = registry.get("lod_reset")
    if is_variable(level):
        return op(x, level, name=layer, append=True)
    if not isinstance(level, list | tuple):
        raise ArgumentError(f"lod_append: level must be a list of offsets or a variable, got {level!r}")
    return op(x, name=layer, append=True, target_lod=[int(n) for n in level])
