"""Writer: the source of a PyTorch module that is being written; the table of mappers to it."""

from __future__ import annotations

import builtins
import json
import keyword
import math
import re
import string
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType

import numpy as np
import torch

from refluid.export.mapping import Table, Value
from refluid.ir.operator import Operator

maps = Table("PyTorch")

# Names that the module uses for itself.
_TAKEN = {"self", "torch", "nn", "F", "Path", "Tensor", "load", *dir(builtins)}


class Writer:
    """The lines of `forward`, and what they need: weights and helper functions."""

    def __init__(self, for_cpp: bool = False) -> None:
        self.for_cpp = for_cpp  # loops over sequences are operators of the C++ library, not functions of the module
        self.lines: list[str] = []
        self.env: dict[str, Value] = {}
        self.problems: list[str] = []
        self.weights: dict[str, torch.Tensor] = {}
        self.weight_names: dict[str, str] = {}  # Fluid's, of the attributes of the module
        self.helpers: dict[str, Callable] = {}
        self.device = "None"  # an expression: where new tensors are made
        self.final: set[str] = set()  # copies at the end of the model: the name of what they copy is as good
        self._names: dict[str, str] = {}
        self._used: set[str] = set(_TAKEN)
        self._depth = 0
        self._op: Operator | None = None

    # -- names --------------------------------------------------------------------------------------------------

    def local(self, name: str) -> str:
        """The Python name of a variable of Fluid, the same whenever it is asked for."""
        if name not in self._names:
            self._names[name] = self.fresh(name)
        return self._names[name]

    def fresh(self, name: str) -> str:
        """A Python name like `name` that nothing else has."""
        base = re.sub(r"\W", "_", name, flags=re.ASCII) or "x"
        if base[0].isdigit() or keyword.iskeyword(base) or base in self._used:
            base = f"{base}_" if not base[0].isdigit() else f"v{base}"
        unique, number = base, 1
        while unique in self._used:
            number += 1
            unique = f"{base}{number}"
        self._used.add(unique)
        return unique

    def reserve(self, *names: str) -> None:
        self._used.update(names)

    def weight(self, name: str, value: torch.Tensor) -> str:
        """Keep a tensor in the file of weights; the expression that reads it."""
        attribute = self.fresh(name)
        self.weights[attribute] = value
        self.weight_names[attribute] = name
        return f"self.{attribute}"

    def use(self, helper: Callable) -> str:
        """Have a function of helpers.py, and those that it calls, in the module; its name."""
        if helper.__name__ not in self.helpers:
            self.helpers[helper.__name__] = helper
            for name in _names_in(helper.__code__):
                other = helper.__globals__.get(name)
                if callable(other) and getattr(other, "__module__", None) == helper.__module__:
                    self.use(other)
        return helper.__name__

    # -- lines --------------------------------------------------------------------------------------------------

    def begin(self, op: Operator) -> None:
        self._op = op

    def result(self, name: str, expression: str, shape: tuple[int, ...]) -> str:
        if name in self.final and expression.isidentifier() and self._depth == 0:
            return expression
        local = self.local(name)
        if expression != local:  # else the mapper has written the line itself
            self.line(f"{local} = {expression}", f"{list(shape)}" if shape else "")
        return local

    def line(self, text: str, comment: str = "") -> None:
        self.lines.append("    " * self._depth + text + (f"  # {comment}" if comment else ""))

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """An indented block under a line that ends with a colon."""
        self.line(head)
        start, self._depth = len(self.lines), self._depth + 1
        yield
        if len(self.lines) == start:
            self.line("pass")
        self._depth -= 1

    def temporary(self, name: str, expression: str) -> str:
        made = self.fresh(name)
        self.line(f"{made} = {expression}")
        return made

    def several(self, expression: str, *slots: str) -> tuple:
        """Write one line that unpacks an expression into the outputs in these slots."""
        assert self._op is not None
        targets, results = [], []
        for slot in slots:
            names = [self.local(name) for name in self._op.output(slot)]
            targets += names or ["_"]
            definition = self._op.definition
            many = definition is not None and any(s.name == slot and s.duplicable for s in definition.outputs)
            results.append(names if many else names[0] if names else None)
        self.line(f"{', '.join(targets)}{',' if len(targets) == 1 else ''} = {expression}")
        return tuple(results)


def _names_in(code: CodeType) -> Iterator[str]:
    """The global names that a function reads, those in its comprehensions too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


# -- how things look in source code ---------------------------------------------------------------------------------


def literal(value: object) -> str:
    """A number, string or list. Attributes are 32-bit floats: 0.1 shall not look like 0.10000000149011612."""
    if isinstance(value, str):
        return json.dumps(value)  # with the quotes that Python's formatters prefer
    if isinstance(value, bool | int):
        return repr(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return f"{'-' if value < 0 else ''}torch.{'nan' if math.isnan(value) else 'inf'}"
        return str(np.float32(value)) if float(np.float32(value)) == value else repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(literal(one) for one in value)}]"
    return str(value)


def sizes(values: Sequence[int]) -> str:
    """As torch's functions take window sizes: one number if all are the same."""
    return str(values[0]) if len(set(values)) == 1 else f"({', '.join(map(str, values))})"


def dtype_text(dtype: torch.dtype) -> str:
    return str(dtype)


def call(function: str, *arguments: object, **options: object) -> str:
    """A call; options that are None are left out."""
    shown = [str(one) for one in arguments] + [f"{name}={one}" for name, one in options.items() if one is not None]
    return f"{function}({', '.join(shown)})"


def given(attr: Sequence[int], tensor: Value | None, tensors: list[Value] | None = None) -> str:
    """Sizes from where Fluid looks for them: a list of one-element tensors, one tensor, the attribute."""
    if tensors:
        return f"[{', '.join(f'int({one})' for one in tensors)}]"
    return literal(list(attr)) if tensor is None else f"{tensor}.reshape(-1).tolist()"


def templates(rows: dict[str, str]) -> None:
    """Mappers that are one expression: `{X}` is an input slot, `{alpha}` an attribute."""
    for one, template in rows.items():
        maps(one)(_template(template))


def _template(template: str) -> Callable:
    fields = [name for _, name, _, _ in string.Formatter().parse(template) if name]

    def mapper(w: Writer, *, op: Operator) -> str:
        values = {}
        for field in fields:
            names = op.input(field)
            values[field] = w.env[names[0]].name if names else literal(op.attrs[field])
        return template.format(**values)

    return mapper
