"""Linear-chain conditional random fields: training and decoding."""

from __future__ import annotations

from refluid.core import mode
from refluid.core.errors import ArgumentError, NotFoundError
from refluid.core.naming import LayerName
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable, need_variable
from refluid.ops.sequence.crf_decoding import crf_decoding as crf_decoding_op
from refluid.ops.sequence.linear_chain_crf import linear_chain_crf as linear_chain_crf_op
from refluid.params.attr import AttrLike, ParamAttr
from refluid.params.create import make_parameter


def linear_chain_crf(
    input: BaseVariable, label: BaseVariable, param_attr: AttrLike = None, length: BaseVariable | None = None
) -> BaseVariable:
    """The negative log-likelihood of tag sequences under a linear-chain conditional random field; its mean is a loss.

    Args:
        input: float emission scores, a LoDTensor [total length, tags], or [N, padded length, tags] with length.
        label: int64 tags, a LoDTensor [total length, 1], or [N, padded length, 1].
        param_attr: settings of the transition parameter [tags + 2, tags]: start scores, end scores, transitions.
        length: int64 [N, 1], the lengths of padded sequences; None for LoDTensors.

    Returns:
        A variable [number of sequences, 1].

    Example:
        >>> emission = fluid.data("emission", [None, 5], lod_level=1)
        >>> label = fluid.data("label", [None, 1], "int64", lod_level=1)
        >>> fluid.layers.linear_chain_crf(emission, label, fluid.ParamAttr(name="crfw")).shape
        (-1, 1)
    """
    need_variable("linear_chain_crf: input", input)
    layer = LayerName("linear_chain_crf")
    tags = input.shape[-1]
    transition = make_parameter(param_attr, [tags + 2, tags], input.dtype, layer=layer)
    return linear_chain_crf_op(input, transition, label, length, name=layer)[3]


def crf_decoding(
    input: BaseVariable,
    param_attr: AttrLike | BaseVariable,
    label: BaseVariable | None = None,
    length: BaseVariable | None = None,
) -> BaseVariable:
    """The most probable tags by the parameter of a `linear_chain_crf` (Viterbi decoding).

    Args:
        input: float emission scores, a LoDTensor [total length, tags], or [N, padded length, tags] with length.
        param_attr: settings with the name of the transition parameter, or the parameter itself [tags + 2, tags], of
            the dtype of input.
        label: int64 true tags of the shape of the result, which is then 1 where a tag is correct and 0 elsewhere.
        length: int64 [N, 1], the lengths of padded sequences; None for LoDTensors.

    Returns:
        An int64 variable [total length, 1] with the LoD of input, or [N, padded length] with 0 as padding.

    Example:
        >>> emission = fluid.data("emission", [None, 5], lod_level=1)
        >>> label = fluid.data("label", [None, 1], "int64", lod_level=1)
        >>> loss = fluid.layers.linear_chain_crf(emission, label, fluid.ParamAttr(name="crfw"))
        >>> fluid.layers.crf_decoding(emission, fluid.ParamAttr(name="crfw")).shape
        (-1, 1)
    """
    transition = param_attr if is_variable(param_attr) else _parameter(param_attr)
    return crf_decoding_op(input, transition, label, length, name=LayerName("crf_decoding"))


def _parameter(attr: AttrLike) -> BaseVariable:
    """The parameter of the program that the attribute names."""
    named = ParamAttr._to_attr(attr)
    if not isinstance(named, ParamAttr) or named.name is None:
        raise ArgumentError(f"crf_decoding: param_attr must name the parameter of a linear_chain_crf, got {attr!r:.60}")
    mode.current().demand_program(
        ArgumentError(
            "crf_decoding: the imperative mode finds no parameter by name; pass the parameter itself as param_attr"
        )
    )
    block = programs.default_main_program().global_block()
    if named.name not in block.vars:
        raise NotFoundError(f"crf_decoding: the program has no parameter {named.name!r}; call linear_chain_crf first")
    return block.vars[named.name]
