"""One operator run by hand on the variables of a scope: fluid.op.Operator."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.core.places import Place
from refluid.executor.executor import Executor
from refluid.ir.program import Program
from refluid.ops import registry
from refluid.ops.facts import op_support_gpu
from refluid.ops.registry import OpDef
from refluid.tensor.scope import Scope


class SingleOperator:
    """An operator with the names of its variables; `run` reads and writes them in a scope."""

    def __init__(self, type: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]], attrs: dict[str, Any]):
        self._type, self._inputs, self._outputs, self._attrs = type, inputs, outputs, attrs

    def type(self) -> str:
        return self._type

    def inputs(self) -> dict[str, list[str]]:
        return {slot: list(names) for slot, names in self._inputs.items()}

    def outputs(self) -> dict[str, list[str]]:
        return {slot: list(names) for slot, names in self._outputs.items()}

    def input_vars(self) -> list[str]:
        return [name for names in self._inputs.values() for name in names]

    def output_vars(self) -> list[str]:
        return [name for names in self._outputs.values() for name in names]

    def no_intermediate_outputs(self) -> list[str]:
        """The variables in slots that are results, and not kept for the gradient."""
        kept = {slot.name for slot in registry.get(self._type).outputs if slot.intermediate}
        return [name for slot, names in self._outputs.items() if slot not in kept for name in names]

    def support_gpu(self) -> bool:
        return op_support_gpu(self._type)

    def run(self, scope: Scope, place: Place) -> None:
        """Compute the outputs in the scope from what is in it."""
        program = Program()
        block = program.global_block()
        for name in self.input_vars():
            var = scope.find_var(name)
            if var is None or not var.is_initialized():
                raise NotFoundError(f"{self._type}: the scope has no value of {name!r}")
            tensor = var.get_tensor()
            block.create_var(name=name, shape=tensor.shape(), dtype=tensor._dtype(), persistable=True)
        for name in self.output_vars():
            scope.var(name)
            if name not in block.vars:
                block.create_var(name=name, persistable=True)
        block.append_op(self._type, self._inputs, self._outputs, self._attrs)
        Executor(place).run(program, scope=scope)

    def __str__(self) -> str:
        return f"Op({self._type}), inputs:{self._inputs}, outputs:{self._outputs}."


class OperatorFactory:
    """`Operator("scale", X="x", Out="y", scale=2.0)`: an operator made of the names of its variables.

    Example:
        >>> scope = Scope()
        >>> scope.var("x").get_tensor().set(np.ones(2, "float32"), fluid.CPUPlace())
        >>> Operator("scale", X="x", Out="y", scale=2.0).run(scope, fluid.CPUPlace())
        >>> np.array(scope.find_var("y").get_tensor())
        array([2., 2.], dtype=float32)
    """

    def __call__(self, *args: str, **kwargs: Any) -> SingleOperator:
        if len(args) + ("type" in kwargs) != 1:
            raise ArgumentError("Operator: give the type of the operator, and all else by name")
        op = registry.get(args[0] if args else kwargs.pop("type"))
        inputs = {name: names for name, names in self._slots(op, op.inputs, kwargs)}
        outputs = {name: names for name, names in self._slots(op, op.outputs, kwargs)}
        attrs = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in kwargs.items() if v is not None}
        return SingleOperator(op.type, inputs, outputs, op.complete_attrs(attrs))

    @staticmethod
    def _slots(op: OpDef, slots: Any, names_by_slot: dict[str, Any]) -> Any:
        for slot in slots:
            names = names_by_slot.pop(slot.name, [])
            names = [names] if isinstance(names, str) else list(names)
            if len(names) > 1 and not slot.duplicable:
                raise ArgumentError(f"{op.type}: {slot.name} takes one variable, got {len(names)}")
            if names:
                yield slot.name, names

    def types(self) -> list[str]:
        return sorted(registry.all_types())

    def get_op_input_names(self, type: str) -> list[str]:
        return [name for name, _ in self.get_op_inputs(type)]

    def get_op_inputs(self, type: str) -> list[tuple[str, bool]]:
        """(slot, whether it takes many) of the inputs."""
        return [(slot.name, slot.duplicable) for slot in registry.get(type).inputs]

    def get_op_output_names(self, type: str) -> list[str]:
        return [name for name, _ in self.get_op_outputs(type)]

    def get_op_outputs(self, type: str) -> list[tuple[str, bool]]:
        """(slot, whether it takes many) of the outputs."""
        op = registry.get(type)
        return [(slot.name, slot.duplicable) for i, slot in enumerate(op.outputs) if i not in op.hidden]

    def get_op_attr_names(self, type: str) -> list[str]:
        return list(registry.get(type).attrs)


Operator = OperatorFactory()
