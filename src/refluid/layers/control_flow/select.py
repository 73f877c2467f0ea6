"""select_input, select_output: one of several variables, chosen when the program runs."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.core.errors import ArgumentError
from refluid.core.mode import per_mode
from refluid.core.naming import NO_LAYER
from refluid.eager.kinds import Variable
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.layers.tensor import assign
from refluid.layers.type_checks import check_type, check_variable_and_dtype
from refluid.ops.array import select as ops


def select_input(inputs: Sequence[BaseVariable], mask: BaseVariable) -> BaseVariable:
    """inputs[mask], chosen when the program runs.

    Args:
        inputs: a list of variables of any dtype and shape.
        mask: the position, an int32 variable [1].

    Returns:
        A variable with the values of the chosen one.
    """
    check_type(inputs, "inputs", (list, tuple), "select_input")
    check_variable_and_dtype(mask, "mask", "int32", "select_input")
    return _select(inputs, mask)


@per_mode
def _select(inputs: Sequence[BaseVariable], mask: BaseVariable) -> BaseVariable:
    out = ops.select_input(list(inputs), mask, name=NO_LAYER)
    out.shape, out.type = inputs[0].shape, inputs[0].type
    return out


@_select.imperative
def _select_now(inputs: Sequence[VarBase], mask: VarBase) -> BaseVariable:
    if not isinstance(inputs, list | tuple):
        raise ArgumentError(f"select_input: inputs must be a list of Variables, got {type(inputs).__name__}")
    return inputs[ops.position_in(mask._t, len(inputs))]


def select_output(input: BaseVariable, outputs: Sequence[BaseVariable], mask: BaseVariable) -> Sequence[BaseVariable]:
    """Assign input to outputs[mask]; the others stay as they are.

    Args:
        input: a variable of any dtype and shape.
        outputs: a list of variables of any dtype and shape.
        mask: the position, an int32 variable [1].

    Returns:
        outputs.
    """
    check_type(input, "input", Variable, "select_output")
    check_variable_and_dtype(mask, "mask", "int32", "select_output")
    check_type(outputs, "outputs", (list, tuple), "select_output")
    _write_selected(input, outputs, mask)
    return outputs


@per_mode
def _write_selected(input: BaseVariable, outputs: Sequence[BaseVariable], mask: BaseVariable) -> None:
    block = programs.default_main_program().current_block()
    block.append_op("select_output", {"X": input, "Mask": mask}, {"Out": list(outputs)})


@_write_selected.imperative
def _write_selected_now(input: BaseVariable, outputs: Sequence[BaseVariable], mask: VarBase) -> None:
    assign(input, outputs[ops.position_in(mask._t, len(outputs))])
