"""A program called on the tape, operator by operator: the graph that the imperative mode would have left behind.

A plan is the fast way, and its gradients have none of their own. Where `grad(create_graph=True)` comes to a program, it
goes through this graph instead, as through any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

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
from refluid.ops.array.array import element, lod_array_length, read_from_array, write_to_array
from refluid.ops.array.select import select_input
from refluid.ops.array.tensor_array_to_tensor import tensor_array_to_tensor
from refluid.ops.shape.assign import assign

if TYPE_CHECKING:
    from refluid.tensor.lod import LoD


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
            source = self.values[name]
            source._grad_node, source.stop_gradient = place, False
            self.values[name] = assign(source)
            self.values[name]._lod = source._lod
            self.begin.append(source)
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
        candidates = [(self.values[name], grad) for name, grad in zip(outputs, grads, strict=True)]
        pairs = [(out, grad) for out, grad in candidates if grad is not None and not out.stop_gradient]
        if not pairs:
            return [None] * len(self.entries)
        outs, out_grads = [out for out, _ in pairs], [grad for _, grad in pairs]
        return grad_of(outs, self.entries, out_grads, create_graph=True, allow_unused=True, no_grad_vars=self.begin)

    def run(self, operator: Operator) -> None:
        """Run the block that the operator carries."""
        assert operator.sub_block is not None
        self._run(operator.sub_block)

    def _run(self, block: Block) -> None:
        for operator in block.ops:
            definition = operator.definition
            if definition is not None and definition.rules.replay is not None:
                definition.rules.replay(self, operator)
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
                self.write(name, out)

    def write(self, name: str, value: object) -> None:
        if name in self.stopped and isinstance(value, VarBase) and not value.stop_gradient:
            value = _variable(value._t, value._lod)
        self.values[name] = value


def _variable(value: torch.Tensor, lod: LoD | None) -> VarBase:
    made = VarBase(value)
    made._lod = lod
    return made


# -- operators of arrays, which are lists here ------------------------------------------------------------------


@write_to_array.replay
def _write_element(replay: Replay, operator: Operator) -> None:
    (name,) = operator.output("Out")
    array = replay.values.setdefault(name, [])
    position = element(replay.values[operator.input("I")[0]]._t)
    array.extend([None] * (position + 1 - len(array)))
    array[position] = replay.values[operator.input("X")[0]]


@read_from_array.replay
def _read_element(replay: Replay, operator: Operator) -> None:
    array = replay.values[operator.input("X")[0]]
    replay.write(operator.output("Out")[0], array[element(replay.values[operator.input("I")[0]]._t)])


@lod_array_length.replay
def _array_length(replay: Replay, operator: Operator) -> None:
    array = replay.values.get(operator.input("X")[0], [])
    replay.write(operator.output("Out")[0], VarBase(torch.tensor([len(array)])))


@tensor_array_to_tensor.replay
def _join(replay: Replay, operator: Operator) -> None:
    array, axis = replay.values[operator.input("X")[0]], operator.attrs["axis"]
    stacked = operator.attrs["use_stack"]
    sizes = [1 if stacked else one.shape[axis] for one in array]
    replay.write(operator.output("Out")[0], (stack if stacked else concat)(list(array), axis))
    replay.write(operator.output("OutIndex")[0], VarBase(torch.tensor(sizes, dtype=torch.int32)))


@select_input.replay
def _select(replay: Replay, operator: Operator) -> None:
    chosen = operator.input("X")[element(replay.values[operator.input("Mask")[0]]._t)]
    replay.write(operator.output("Out")[0], replay.values[chosen])
