"""The recorder: the static mode. An operator call becomes a line of the default main program."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core import mode
from refluid.core.callsite import site_rows, user_site
from refluid.core.errors import ArgumentError, EnforceNotMet, ModeError
from refluid.core.naming import LayerName, Names
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.variable import Variable
from refluid.ops.checks import check_declared, wrong_attr
from refluid.ops.infer import Specs, infer
from refluid.ops.registry import OpDef


class Recorder(mode.Recording):
    """Declares an operator's outputs by inference and appends it to the current block."""

    @property
    def block(self) -> Block:
        return programs.default_main_program().current_block()

    def accepts(self, var: object) -> bool:
        return False

    def overwritten(self, var: object) -> dict[str, Any] | None:
        return {"Out": var}

    def run(self, op: OpDef, inputs: tuple, attrs: dict[str, Any], outs: dict[str, Any] | None, name: Any) -> Any:
        block = self.block
        ins: dict[str, list[str]] = {}
        specs: list[Any] = [None] * len(op.inputs)
        for i, (slot, value) in enumerate(zip(op.inputs, inputs, strict=False)):
            if value is None:
                continue
            many = isinstance(value, list | tuple) and (slot.duplicable or (len(value) == 1 and slot.name in op.late))
            values = list(value) if many else [value]
            if not values:
                continue
            for var in values:
                if not isinstance(var, Variable):
                    raise _not_a_variable(op, slot.name, var)
            ins[slot.name] = [var.name for var in values]
            value_specs = [var.spec() for var in values]
            specs[i] = value_specs if slot.duplicable else value_specs[0]
        full = op.complete_attrs({k: v for k, v in attrs.items() if v is not None})
        operator = Operator(block, op.type, ins, {}, full, user_site())
        if not isinstance(name, Names):
            name = LayerName(op.type, name)
        try:
            for slot_index, slot in enumerate(op.inputs):
                if specs[slot_index] is None and not slot.dispensable:
                    raise ArgumentError(f"input {slot.name} is missing")
            if not name.unchecked:
                check_declared(op, specs)
            wrong = wrong_attr(op, full)
            if wrong is not None:
                raise wrong
            out_specs = infer(op, specs, full)
        except EnforceNotMet as error:
            raise error.within(op.type, operator.details()).shortened() from error.__cause__
        results: list[Any] = [None] * len(op.outputs)
        for i in op.naming:
            results[i] = self._declare(block, operator, i, out_specs[i], (outs or {}).get(op.outputs[i].name), name)
        block.record(operator)
        return results[0] if op.single else tuple(results)

    def _declare(self, block: Block, operator: Operator, index: int, spec: Specs, targets: Any, name: Any) -> Any:
        """The variables of one output slot: the given ones, else new ones named after the layer."""
        op = operator.definition
        assert op is not None
        slot = op.outputs[index]
        if index in op.hidden or (spec is None and targets is None and not slot.intermediate):
            return None
        specs = spec if isinstance(spec, list) else [spec]
        if targets is None:
            first_lod = block.lod_level_of(operator, op)
            variables = []
            for out_spec in specs:
                var = block.create_var(name=name.tmp())
                if out_spec is None:  # Fluid declares what a kernel keeps for the gradient, even where it keeps nothing
                    var._dtype = block._var_recursive(operator.inputs[op.inputs[0].name][0])._dtype
                else:
                    var.adopt(out_spec)
                    var.lod_level = first_lod if out_spec.lod_level < 0 else out_spec.lod_level
                    if op.type == "assign":  # a copy is of the same kind: an array of tensors stays one
                        var.type = block._var_recursive(operator.inputs["X"][0]).type
                variables.append(var)
        else:
            variables = list(targets) if isinstance(targets, list | tuple) else [targets]
            for var in variables:
                if not isinstance(var, Variable):
                    raise _not_a_variable(op, slot.name, var)
            for var, out_spec in zip(variables, specs, strict=False):
                if out_spec is not None and not var.persistable:
                    var.adopt(out_spec)
        for var in variables:
            if var.op is None:
                var.op = operator
        operator.outputs[slot.name] = [var.name for var in variables]
        return variables if isinstance(spec, list) else variables[0]


def _not_a_variable(op: OpDef, slot: str, value: object) -> EnforceNotMet:
    if isinstance(value, BaseVariable) and value.is_imperative:
        return ModeError(
            f"{op.type}: {slot} is {value.name}, a variable of the imperative mode, but the call is recorded into a "
            "program; call it inside fluid.dygraph.guard(), or declare the input with fluid.data",
            site_rows("built"),
        )
    if isinstance(value, np.ndarray):
        return ModeError(
            f"{op.type}: {slot} must be a Variable, got a numpy array; feed it through fluid.data, "
            "or make it a constant with fluid.layers.assign",
            site_rows("built"),
        )
    return ArgumentError(
        f"{op.type}: {slot} must be a Variable, got {type(value).__name__}: {value!r:.60}", site_rows("built")
    )


recorder = Recorder()
mode.switch(recorder)
