"""select_input, select_output: one of several variables, chosen when the program runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core import mode
from refluid.core.errors import ArgumentError
from refluid.core.naming import NO_LAYER
from refluid.eager.kinds import Variable
from refluid.ir import program as programs
from refluid.layers.checks import check_type, check_variable_and_dtype
from refluid.layers.tensor import assign
from refluid.ops.array import select as ops


def select_input(inputs: Sequence[Any], mask: Any) -> Any:
    """The variable inputs[mask]; mask is int32 [1]."""
    check_type(inputs, "inputs", (list, tuple), "select_input")
    check_variable_and_dtype(mask, "mask", "int32", "select_input")
    if mode.current.imperative:
        if not isinstance(inputs, list | tuple):
            raise ArgumentError(f"select_input: inputs must be a list of Variables, got {type(inputs).__name__}")
        return inputs[ops.position_in(mask._t, len(inputs))]
    out = ops.select_input(list(inputs), mask, name=NO_LAYER)
    out.shape, out.type = inputs[0].shape, inputs[0].type
    return out


def select_output(input: Any, outputs: Sequence[Any], mask: Any) -> Sequence[Any]:
    """Let outputs[mask] be input and leave the others as they are; mask is int32 [1]."""
    check_type(input, "input", Variable, "select_output")
    check_variable_and_dtype(mask, "mask", "int32", "select_output")
    check_type(outputs, "outputs", (list, tuple), "select_output")
    if mode.current.imperative:
        assign(input, outputs[ops.position_in(mask._t, len(outputs))])
    else:
        block = programs.default_main_program().current_block()
        block.append_op("select_output", {"X": input, "Mask": mask}, {"Out": list(outputs)})
    return outputs
