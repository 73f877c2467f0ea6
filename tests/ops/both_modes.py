"""A row run as a program of one operator, and as a call of the imperative mode."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

from refluid.autodiff.backward import gradients
from refluid.core.dtypes import FROM_TORCH
from refluid.eager.base import guard, to_variable
from refluid.eager.tape import Tape
from refluid.eager.variable import VarBase
from refluid.executor.executor import Executor
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.ops.infer import Spec
from refluid.ops.registry import Tensor, get, op
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope
from refluid.tensor.selected_rows import SelectedRows
from tests.ops.calls import Call, each


class Result(NamedTuple):
    outs: list[Any]  # per output slot
    lods: list[Any]
    grads: dict[str, Any]  # by input slot


@op("Out", type="rows_for_tests", nograd="*")
def rows_for_tests(Index: Tensor, Value: Tensor, *, height: int) -> SelectedRows:
    """A SelectedRows: programs compute them and cannot be fed them."""
    return SelectedRows.of(Index, Value, height)


@rows_for_tests.infer
def rows_for_tests_shape(inputs: list, attrs: dict) -> list:
    return [Spec((attrs["height"], *inputs[1].shape[1:]), inputs[1].dtype)]


# -- static -------------------------------------------------------------------------------------------------------


class OneOp:
    """A program of one operator. Inputs that it updates are persistable, all others are fed."""

    def __init__(self, one: Call):
        self.one, self.main, self.scope = one, Program(), Scope()
        self.block, self.feed = self.main.global_block(), {}
        self.inputs: list[Any] = []
        for i, slot in enumerate(one.op.inputs):
            names = (f"{slot.name}_{k}" for k in itertools.count())
            lods = iter(_flat(one.lods[i]))
            self.inputs.append(each(functools.partial(self._declare, i, names, lods), one.values[i]))

    def _declare(self, index: int, names: Iterator[str], lods: Iterator[Any], value: Any) -> Variable:
        name, lod = next(names), next(lods)
        if isinstance(value, SelectedRows):
            parts = {"Index": self._data(name + "_index", value.index), "Value": self._data(name, value.value)}
            made = self.block.create_var(name=name + "_rows")
            self.block.append_op("rows_for_tests", parts, {"Out": made}, {"height": value.n_rows})
            return made
        return self._data(name, value, lod, index in self.one.op.inplace.values(), index not in self.one.grad_slots())

    def _data(self, name: str, t: Tensor, lod: Any = None, updated: bool = False, stop: bool = True) -> Variable:
        var = self.block.create_var(
            name=name, shape=t.shape, dtype=FROM_TORCH[t.dtype], lod_level=len(lod) if lod else 0, persistable=updated,
            is_data=not updated, stop_gradient=stop,
        )  # fmt: skip
        if updated:
            self.scope.var(name).get_tensor().t = t.clone()
        else:
            self.feed[name] = LoDTensor.of(t.clone(), lod)
        return var

    def append(self, outs: list[Any]) -> list[Any]:
        """Append the operator; returns its output variables, as many as the kernel made."""
        op, made = self.one.op, []
        for i, (slot, out) in enumerate(zip(op.outputs, outs)):
            if i in op.inplace:
                made.append(self.inputs[op.inplace[i]])
            else:
                names = (f"{slot.name}_out{k}" for k in itertools.count())
                made.append(each(lambda _, names=names: self.block.create_var(name=next(names)), out))
        ins = {slot.name: var for slot, var in zip(op.inputs, self.inputs) if var is not None}
        attrs = {name: value for name, value in self.one.row.given.items() if name not in op.input_index}
        self.block.append_op(op.type, ins, {s.name: v for s, v in zip(op.outputs, made) if v is not None}, attrs)
        return made

    def gradients(self, made: list[Any], out_grads: list[Any]) -> dict[str, Any]:
        """The variables that hold the gradients of the inputs, by slot."""
        targets, weights = [], []
        for target, grad in zip(_flat(made), _flat(out_grads)):
            if grad is not None:
                weights.append(self._data(target.name + "_weight", grad))
                weights[-1].shape = target.shape
                targets.append(target)
        slots = self.one.grad_slots()
        found = iter(gradients(targets, [v for i in slots for v in _flat(self.inputs[i])], weights))
        return {self.one.op.inputs[i].name: each(lambda _: next(found), self.inputs[i]) for i in slots}

    def run(self, wanted: list[Variable]) -> dict[str, Any]:
        names = list(dict.fromkeys(var.name for var in wanted))
        return dict(zip(names, Executor().run(self.main, self.feed, names, scope=self.scope, return_numpy=False)))


def run_static(one: Call, outs: list[Any], out_grads: list[Any] | None) -> Result:
    program = OneOp(one)
    with program_guard(program.main):
        made = program.append(outs)
        grads = program.gradients(made, out_grads) if out_grads is not None else {}
    values = program.run([var for var in (*_flat(made), *_flat(list(grads.values()))) if var is not None])

    def value(var: Variable) -> Any:
        found = values[var.name]
        return found.t if isinstance(found, LoDTensor) else found

    def lod(var: Variable) -> Any:
        return getattr(values[var.name], "lod_value", None)

    return Result(each(value, made), each(lod, made), {slot: each(value, var) for slot, var in grads.items()})


def build_static(one: Call) -> None:
    """Record the call as a layer would, and run it."""
    program = OneOp(one)
    attrs = {name: value for name, value in one.row.given.items() if name not in one.op.input_index}
    with program_guard(program.main):
        made = one.op(*program.inputs, **attrs)
    program.run([var for var in _flat(made if isinstance(made, tuple) else [made]) if var is not None])


# -- imperative ---------------------------------------------------------------------------------------------------


def run_imperative(one: Call, out_grads: list[Any] | None) -> Result:
    Tape.lods = False  # as in a process that has seen no LoD yet
    with guard():
        inputs = _variables(one)
        made = one.op(*inputs, **{n: v for n, v in one.row.given.items() if n not in one.op.input_index})
        outs = [made] if one.op.single else list(made)
        grads = {}
        if out_grads is not None:
            _weighted_sum(outs, out_grads).backward()
            grads = {one.op.inputs[i].name: each(lambda v: v._grad, inputs[i]) for i in one.grad_slots()}
    return Result(each(lambda v: v._t, outs), each(lambda v: v._lod, outs), grads)


def call_imperative(one: Call) -> None:
    with guard():
        one.op(*_variables(one), **{n: v for n, v in one.row.given.items() if n not in one.op.input_index})


def _variables(one: Call) -> list[Any]:
    wanted = one.grad_slots()

    def variable(value: Any, lod: Any, stop: bool) -> VarBase:
        if isinstance(value, SelectedRows):
            return VarBase(SelectedRows.of(value.index.clone(), value.value.clone(), value.n_rows))
        var = to_variable(LoDTensor.of(value, lod))
        var.stop_gradient = stop
        return var

    made = []
    for i, value in enumerate(one.values):
        lods = iter(_flat(one.lods[i]))
        made.append(each(lambda v, i=i, lods=lods: variable(v, next(lods), i not in wanted), value))
    return made


def _weighted_sum(outs: list[Any], weights: list[Any]) -> VarBase:
    parts = [
        get("reduce_sum")(get("elementwise_mul")(out, VarBase(weight)), reduce_all=True)
        for out, weight in zip(_flat(outs), _flat(weights))
        if weight is not None
    ]
    return parts[0] if len(parts) == 1 else get("sum")(parts)


def _flat(values: Any) -> list[Any]:
    if not isinstance(values, list | tuple):
        return [values]
    return [one for value in values for one in (_flat(value) if isinstance(value, list | tuple) else [value])]
