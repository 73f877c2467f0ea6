"""Tables that say how each operator looks in another system, and the walk through a program that asks them.

A mapper is written like a kernel: its first parameter is what is being built, the other positional ones are input
slots (a `Value`; a list for a duplicable slot; None for an empty one), keyword-only ones are attributes. It returns the
name of the output (in source code: its expression), or one per output slot in their order.

Note [LoD outside Fluid]
Other systems have no LoD. A tensor with one comes with a vector of sequence lengths for each level, the outermost
first: an input `words` of one level is the inputs `words` (all rows, one sequence after the other) and its lengths. An
operator passes the LoD on as it does here (Note [Who owns the LoD] in ops/definition.py); mappers of operators that
make a new one say so by returning a `Ragged`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import torch

from refluid.core.dtypes import TORCH
from refluid.core.errors import EnforceNotMet
from refluid.export.model import Model
from refluid.ir.operator import EMPTY, Operator
from refluid.ir.variable import Variable
from refluid.ops.shape.reshape import resolve


@dataclass(frozen=True)
class Value:
    """A variable in the exported program: its name there, and what is known of it."""

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype
    lod: tuple[str, ...] = ()  # the names of the lengths of each level

    def __str__(self) -> str:
        return self.name

    @property
    def rank(self) -> int:
        return len(self.shape)


class Ragged(NamedTuple):
    """An output whose LoD the mapper made."""

    name: str
    lod: tuple[str, ...]


class Unsupported(EnforceNotMet):
    """What a mapper raises: why this operator cannot be exported."""


class ExportError(EnforceNotMet):
    """The refusal of a model; lists every operator that cannot be exported."""


class Builder(Protocol):
    """What is being built: a graph, a source file."""

    def begin(self, op: Operator) -> None:
        """What follows stands for this operator."""

    def result(self, name: str, made: str, shape: tuple[int, ...]) -> str:
        """What to call the output `name` of the operator, which a mapper has made."""


class Table:
    """Mappers by operator type. `@table("relu", "relu6")` adds one."""

    def __init__(self, target: str, no_blocks: str = ""):
        """`no_blocks` says what to do about operators that carry a block, where the target has none."""
        self.target = target
        self._no_blocks = no_blocks
        self._mappers: dict[str, Callable] = {}

    def __call__(self, *types: str) -> Callable[[Callable], Callable]:
        def add(mapper: Callable) -> Callable:
            for one in types:
                if one in self._mappers:
                    raise ValueError(f"{one} is mapped to {self.target} twice")
                self._mappers[one] = mapper
            return mapper

        return add

    @property
    def types(self) -> list[str]:
        return sorted(self._mappers)

    def outputs(self, builder: Builder, op: Operator, env: dict[str, Value]) -> list[Any]:
        """What the mapper of an operator returns, one entry per output slot."""
        mapper = self._mappers.get(op.type)
        if mapper is None:
            flow = op.definition.control_flow if op.definition is not None else None
            if flow is not None and self._no_blocks:
                raise Unsupported(f"{flow.called} have no mapping to {self.target}; {self._no_blocks}")
            raise Unsupported(f"there is no mapping to {self.target}")
        _, *parameters = inspect.signature(mapper).parameters.values()
        positional, named = [], {}
        for parameter in parameters:
            if parameter.name == "op":
                named["op"] = op
            elif parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = _attribute(op, parameter)
            else:
                positional.append(_input(op, parameter.name, env))
        builder.begin(op)
        result = mapper(builder, *positional, **named)
        return list(result) if isinstance(result, tuple) and not isinstance(result, Ragged) else [result]


def _attribute(op: Operator, parameter: inspect.Parameter) -> Any:
    known = {attr.param: name for name, attr in op.definition.attrs.items()} if op.definition else {}
    name = known.get(parameter.name, parameter.name)
    if name in op.attrs:
        return op.attrs[name]
    if parameter.default is not parameter.empty:
        return parameter.default
    raise Unsupported(f"its attribute {name!r} is missing from the model")


def _input(op: Operator, slot: str, env: dict[str, Value]) -> Any:
    names = [name for name in op.input(slot) if name != EMPTY]
    values = [env[name] for name in names]
    spec = next((s for s in op.definition.inputs if s.name == slot), None) if op.definition else None
    if spec is not None and spec.duplicable:
        return values
    return values[0] if values else None


def walk(builder: Builder, table: Table, ops: list[Operator], env: dict[str, Value], problems: list[str]) -> None:
    """Map operators one after the other; `env` follows the variables, `problems` collects what cannot be done."""
    lost: set[str] = set()  # what cannot be computed: operators that read it have no problem of their own
    for op in ops:
        read = [name for name in op.input_arg_names if name != EMPTY]
        unknown = [name for name in read if name not in env and name not in lost]
        try:
            if unknown:
                raise Unsupported(f"it reads {unknown[0]!r}, which nothing before it computes in {table.target}")
            if lost.intersection(read):
                lost |= set(op.output_arg_names)
                continue
            results = table.outputs(builder, op, env)
        except Unsupported as reason:
            problems.append(f"{op.type} -> {(op.output_arg_names or ['nothing'])[0]}: {reason.summary}")
            lost |= set(op.output_arg_names)
            continue
        env.update(_results(builder, op, results, env))
        lost -= set(op.output_arg_names)


def _results(builder: Builder, op: Operator, by_slot: list[Any], env: dict[str, Value]) -> dict[str, Value]:
    results = {}
    slots = [slot.name for slot in op.definition.outputs] if op.definition else op.output_names
    for slot, result in zip(slots, by_slot):
        entries = result if isinstance(result, list) else [result]
        for name, entry in zip(op.output(slot), entries):
            var = op.block.find_var(name)
            if entry is None or var is None:
                continue
            text = entry.name if isinstance(entry, Value | Ragged) else entry
            value = value_of(var, builder.result(name, text, tuple(var.shape)))
            lod = entry.lod if isinstance(entry, Ragged) else _carried(op, value, env)
            results[name] = Value(value.name, value.shape, value.dtype, lod)
    return results


def value_of(var: Variable, name: str, lod: tuple[str, ...] = ()) -> Value:
    return Value(name, tuple(var.shape), TORCH[var.dtype], lod)


def _carried(op: Operator, out: Value, env: dict[str, Value]) -> tuple[str, ...]:
    """The LoD that an output has from the inputs: as long as the rows stay what they were."""
    definition = op.definition
    if definition is None or definition.lod is None:
        return ()
    slots = definition.lod.split() or [slot.name for slot in definition.inputs]
    source = next((env[name] for slot in slots for name in op.input(slot) if name in env and env[name].lod), None)
    if source is None or (definition.rules.lods is not None and not _keeps_rows(op, source, out)):
        return ()
    return source.lod


def _keeps_rows(op: Operator, source: Value, out: Value) -> bool:
    definition = op.definition
    if definition is not None and definition.keeps_rows is not None:
        return definition.keeps_rows(op.attrs, source.rank)
    # A tensor in another shape: it has as many rows as before if a row has as many elements.
    rests = [math.prod(shape[1:]) for shape in (source.shape, out.shape) if -1 not in shape[1:]]
    return len(rests) == 2 and rests[0] == rests[1]


def refuse(model: Model, target: str, env: dict[str, Value], problems: list[str]) -> None:
    """One error that lists all problems, if there are any."""
    if not problems:
        missing = [var.name for var in model.fetches if var.name not in env]
        problems = [f"the output {name} is one that {target} does not compute" for name in missing]
    if problems:
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        reasons = [("", problem) for problem in dict.fromkeys(problems)]
        advice = ("", "nothing was written; docs/export.md lists what can be exported")
        raise ExportError(f"{model.path} cannot be exported to {target} because of {count}:", [*reasons, advice])


def need_one_head(head_number: int) -> None:
    """Of a matmul."""
    if head_number > 1:
        raise Unsupported(f"it multiplies the parts of {head_number} heads in one call")


def need_even_groups(channels: int, groups: int) -> None:
    if channels % groups:
        raise Unsupported(f"groups={groups} that do not share the {channels} channels of X evenly")


def need_test_mode(is_test: bool) -> None:
    """For operators that compute something else while training."""
    if not is_test:
        raise Unsupported("it is in training mode (is_test is False); save the model with save_inference_model")


def need_lod(x: Value, slot: str = "X", levels: int | None = None) -> str:
    """The lengths of the last level."""
    if not x.lod:
        raise Unsupported(f"{slot} has no LoD here; declare the input with lod_level=1")
    if levels is not None and len(x.lod) != levels:
        raise Unsupported(f"{slot} has a LoD of {len(x.lod)} levels, and only {levels} can be exported")
    return x.lod[-1]


def known_sizes(shape: list[int], x: tuple[int, ...]) -> list[int]:
    """The sizes that a reshape asks for, with -1 resolved where the sizes of X tell it: an empty batch would not."""
    if -1 not in x:
        return resolve(shape, x)
    if shape.count(-1) == 1 and shape[0] == 0 and all(n > 0 for n in x[1:]):
        row: int = math.prod(x[1:])
        others: int = math.prod(x[i] if n == 0 else n for i, n in enumerate(shape) if i and n != -1)
        return [row // others if n == -1 else n for n in shape]
    return shape
