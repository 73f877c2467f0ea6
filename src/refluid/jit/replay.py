"""A program called on the tape, operator by operator: the graph that the imperative mode would have left behind.

A plan is the fast way, and its gradients have none of their own. Where `grad(create_graph=True)` comes to a program, it
goes through this graph instead, as through any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from refluid.autodiff.backward import stopped
from refluid.core import random
from refluid.core.errors import EnforceNotMet
from refluid.eager.base import tape
from refluid.eager.grad import grad as grad_of
from refluid.eager.variable import VarBase
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.layers.shape import concat, stack
from refluid.ops.array.array import element
from refluid.ops.shape.assign import assign
from refluid.ops.shape.stack import unstack


class Replay:
    """One run of a program on the tape.

    Args:
        feeds: the value and LoD of every input, by name.
        bound: the parameters.
        asked: those of both that gradients are asked of, and their places in the graph.
        stream: where the random stream stood when the plan ran.
    """

    def __init__(
        self, program: Program, feeds: Mapping[str, tuple], bound: Mapping[str, VarBase], asked: Mapping[str, Any],
        stream: torch.Tensor | None,
    ):  # fmt: skip
        self.values: dict[str, Any] = {name: _variable(*given) for name, given in feeds.items()}
        self.values.update({name: _variable(var._t, var._lod) for name, var in bound.items()})
        # What gradients are asked of is copied, so that the way back can end at the copies.
        self.begin, self.entries = [], []
        for name, place in asked.items():
            given = self.values[name]
            given._grad_node, given.stop_gradient = place, False
            self.values[name] = assign(given)
            self.values[name]._lod = given._lod
            self.begin.append(given)
            self.entries.append(self.values[name])
        self.stopped = stopped(program.global_block(), None) - set(asked)
        generator = random.stream_of(program.random)
        now = generator.get_state()
        if stream is not None:
            generator.set_state(stream)
        try:
            self._run(program.global_block())
        finally:
            generator.set_state(now)

    def gradients(self, outputs: list[str], grads: list[VarBase | None]) -> list[VarBase | None]:
        """The gradients of what was asked of, from those of the outputs, as variables of the graph."""
        found = [(self.values[name], grad) for name, grad in zip(outputs, grads, strict=True)]
        pairs = [(out, grad) for out, grad in found if grad is not None and not out.stop_gradient]
        if not pairs:
            return [None] * len(self.entries)
        outs, given = [out for out, _ in pairs], [grad for _, grad in pairs]
        return grad_of(outs, self.entries, given, create_graph=True, allow_unused=True, no_grad_vars=self.begin)

    def _run(self, block: Block) -> None:
        for operator in block.ops:
            special = _SPECIAL.get(operator.type)
            if special is not None:
                special(self, operator)
            elif operator.output_arg_names:  # what prints and asserts has done so
                self._call(operator)

    def _call(self, operator: Operator) -> None:
        op = operator.definition
        assert op is not None
        inputs = []
        for index, slot in enumerate(op.inputs):
            values = [self.values.get(name) for name in operator.inputs.get(slot.name, [])]
            if any(isinstance(out, list) for out in values):
                raise EnforceNotMet(
                    f"grad: create_graph=True cannot go through {operator.type}, which takes an array",
                    operator.details(),
                )
            if index in op.inplace.values():  # a statistic of a layer, which has been changed once already
                values = [VarBase(out._t.clone()) if out is not None else None for out in values]
            inputs.append(values if slot.duplicable else values[0] if values else None)
        results = tape().run(op, tuple(inputs), op.kernel_attrs(operator.attrs), None, None)
        for slot, result in zip(op.outputs, (results,) if op.single else results, strict=True):
            names = operator.outputs.get(slot.name, [])
            for name, out in zip(names, result if isinstance(result, list) else [result], strict=False):
                self._write(name, out)

    def _write(self, name: str, value: Any) -> None:
        if name in self.stopped and isinstance(value, VarBase) and not value.stop_gradient:
            value = _variable(value._t, value._lod)
        self.values[name] = value

    # -- operators that carry blocks, and those of arrays, which are lists here ---------------------------------

    def _condition(self, operator: Operator) -> None:
        tests = [self.values[name]._t for name in operator.input("Cond")]
        scalar = operator.attrs.get("is_scalar_condition")
        if tests[0].item() if scalar else all(test.numel() for test in tests):
            self._run(_block(operator))

    def _loop(self, operator: Operator) -> None:
        (test,) = operator.input("Condition")
        while self.values[test]._t.item():
            self._run(_block(operator))

    def _recurrence(self, operator: Operator) -> None:
        inputs, outputs = operator.input("inputs"), operator.output("outputs")
        before, after = operator.attrs["ex_states"], operator.attrs["states"]
        sequences = [self.values[name] for name in inputs]
        rounds = list(zip(*[unstack(one, axis=0, num=one.shape[0]) for one in sequences], strict=True))
        backwards = bool(operator.attrs["reverse"])
        collected: dict[str, list[VarBase]] = {name: [] for name in outputs}
        for name, first in zip(before, operator.input("initial_states"), strict=True):
            self.values[name] = self.values[first]
        for parts in reversed(rounds) if backwards else rounds:
            self.values.update(zip(inputs, parts, strict=True))
            self._run(_block(operator))
            for name, steps in collected.items():
                steps.append(self.values[name])
            for name, left in zip(before, after, strict=True):
                self.values[name] = self.values[left]
        self.values.update(zip(inputs, sequences, strict=True))
        for name, steps in collected.items():
            self.values[name] = stack(steps[::-1] if backwards else steps, 0)

    def _write_element(self, operator: Operator) -> None:
        (name,) = operator.output("Out")
        array = self.values.setdefault(name, [])
        position = element(self.values[operator.input("I")[0]]._t)
        array.extend([None] * (position + 1 - len(array)))
        array[position] = self.values[operator.input("X")[0]]

    def _read_element(self, operator: Operator) -> None:
        array = self.values[operator.input("X")[0]]
        self._write(operator.output("Out")[0], array[element(self.values[operator.input("I")[0]]._t)])

    def _array_length(self, operator: Operator) -> None:
        array = self.values.get(operator.input("X")[0], [])
        self._write(operator.output("Out")[0], VarBase(torch.tensor([len(array)])))

    def _join(self, operator: Operator) -> None:
        array, axis = self.values[operator.input("X")[0]], operator.attrs["axis"]
        stacked = operator.attrs["use_stack"]
        sizes = [1 if stacked else one.shape[axis] for one in array]
        self._write(operator.output("Out")[0], (stack if stacked else concat)(list(array), axis))
        self._write(operator.output("OutIndex")[0], VarBase(torch.tensor(sizes, dtype=torch.int32)))

    def _select(self, operator: Operator) -> None:
        chosen = operator.input("X")[element(self.values[operator.input("Mask")[0]]._t)]
        self._write(operator.output("Out")[0], self.values[chosen])


def _block(operator: Operator) -> Block:
    assert operator.sub_block is not None
    return operator.sub_block


def _variable(value: Any, lod: Any) -> VarBase:
    made = VarBase(value)
    made._lod = lod
    return made


_SPECIAL: dict[str, Callable[[Replay, Operator], None]] = {
    "conditional_block": Replay._condition, "while": Replay._loop, "recurrent": Replay._recurrence,
    "write_to_array": Replay._write_element, "read_from_array": Replay._read_element,
    "lod_array_length": Replay._array_length, "tensor_array_to_tensor": Replay._join, "select_input": Replay._select,
}  # fmt: skip
