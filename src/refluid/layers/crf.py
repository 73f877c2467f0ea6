"""Linear-chain conditional random fields: training and decoding."""

from __future__ import annotations

from typing import Any

from refluid.core import mode
from refluid.core.errors import ArgumentError, NotFoundError
from refluid.core.naming import LayerName
from refluid.ir import program as programs
from refluid.layers.numbers import is_variable, need_variable
from refluid.ops.sequence.crf_decoding import crf_decoding as crf_decoding_op
from refluid.ops.sequence.linear_chain_crf import linear_chain_crf as linear_chain_crf_op
from refluid.params.attr import ParamAttr
from refluid.params.create import make_parameter


def linear_chain_crf(input: Any, label: Any, param_attr: Any = None, length: Any = None) -> Any:
    """Minus the logarithm of the probability of tag sequences, whose mean is a loss.

    Args:
        input: how much each row looks like each tag: a LoDTensor [rows, tags], or [N, padded length, tags].
        label: the int64 tags, [rows, 1] or [N, padded length, 1].
        param_attr: of the parameter [tags + 2, tags]: starting, ending and going from tag to tag.
        length: the int64 lengths [N, 1] of padded sequences.
    Returns:
        A variable [number of sequences, 1].
    """
    need_variable("linear_chain_crf: input", input)
    layer = LayerName("linear_chain_crf")
    tags = input.shape[-1]
    transition = make_parameter(param_attr, [tags + 2, tags], input.dtype, layer=layer)
    return linear_chain_crf_op(input, transition, label, length, name=layer)[3]


def crf_decoding(input: Any, param_attr: Any, label: Any = None, length: Any = None) -> Any:
    """The most probable tags by the parameter of a `linear_chain_crf`.

    Args:
        input: as there.
        param_attr: the attribute with the name of that parameter, or the parameter itself.
        label: with it the result is 1 where the best tag is right, and 0 elsewhere.
        length: as there.
    Returns:
        An int64 variable [rows, 1] with the LoD of input, or [N, padded length] with 0 for the padding.
    """
    transition = param_attr if is_variable(param_attr) else _parameter(param_attr)
    return crf_decoding_op(input, transition, label, length, name=LayerName("crf_decoding"))


def _parameter(attr: Any) -> Any:
    """The parameter of the program that the attribute names."""
    named = ParamAttr._to_attr(attr)
    if not isinstance(named, ParamAttr) or named.name is None:
        raise ArgumentError(f"crf_decoding: param_attr must name the parameter of a linear_chain_crf, got {attr!r:.60}")
    if mode.current.imperative:
        raise ArgumentError(
            "crf_decoding: the imperative mode finds no parameter by name; pass the parameter itself as param_attr"
        )
    block = programs.default_main_program().global_block()
    if named.name not in block.vars:
        raise NotFoundError(f"crf_decoding: the program has no parameter {named.name!r}; call linear_chain_crf first")
    return block.vars[named.name]
