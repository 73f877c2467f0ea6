"""The text of a plan while it is written: lines, the objects that they refer to, and which local holds which value."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from refluid.executor import runtime
from refluid.executor.graph.node import Node
from refluid.executor.graph.value import Value

if TYPE_CHECKING:
    from refluid.ir.program import Program

_LITERALS = (int, float, bool, str, type(None))


@dataclass
class Frame:
    """How far the writing of one region has come, and what is read of it later."""

    keep: set[Value]  # what must survive
    last_use: dict[Value, int]  # the position of the node that reads or makes it last
    now: int = -1

    def needs(self, value: Value) -> bool:
        return value in self.keep or self.last_use.get(value, -1) > self.now


class Source:
    """Locals are named after variables. Values of one variable share a local where they do not meet."""

    def __init__(self, device: torch.device, program: Program, check_nan: bool):
        self.device = device
        self.program = program
        self.check_nan = check_nan
        self.lines: list[str] = []
        self.node_at: dict[int, Node] = {}
        self.globals: dict[str, Any] = {"put": runtime.put, "check_finite": runtime.check_finite, "torch": torch}
        self.globals["last"] = True  # but for gradients that may be asked for again; see jit/split.py
        self.global_of = {id(value): name for name, value in self.globals.items()}
        self.idents: dict[str, str] = {}  # the preferred local of a variable's values
        self.locals: dict[Value, str] = {}
        self.held: dict[str, Value] = {}  # the value that a local holds
        self.lods: dict[Value, str] = {}  # the local that holds a value's LoD
        self.shapes: dict[Value, str] = {}  # the local that holds a value's shape, when the value is gone
        self.frames: list[Frame] = []
        self.groups: dict[Node, Any] = {}  # compiled functions for the nodes from this one on; see compiling/
        self.runs: dict[Node, Any] = {}  # runs that are one call, by their first nodes; see pointwise/
        self.runs_again = False  # whether the lines being written may run more than once on the same values
        self.scope_vars: dict[str, int] = {}
        self.used: set[str] = {"feeds", "lods", "scope", "run", "back", "grads", "kept", "results", "computed"}
        self.used.update(self.globals)

    # -- locals -------------------------------------------------------------------------------------------------

    def ident(self, name: str) -> str:
        """The local that a variable's values have if nothing is in the way."""
        if name not in self.idents:
            self.idents[name] = self.unique(name.replace("@GRAD", "_grad"))
        return self.idents[name]

    def local(self, value: Value) -> str:
        """The local that holds a value."""
        return self.locals[value]

    def define(self, value: Value, avoid: Collection[Value] = ()) -> str:
        """Choose the local of a value that is about to be made, so that nothing is lost that is read later.

        `avoid` are values that the node itself reads after it has set the local.
        """
        if value.base is not None:
            local = self.locals[value.base]  # it is changed in place
        else:
            local = self.ident(value.name)
            before = self.held.get(local)
            if before is not None and before is not value and (before in avoid or self.needs(before)):
                local = self.unique(value.name.replace("@GRAD", "_grad"))
        return self.put(value, local)

    def put(self, value: Value, local: str) -> str:
        """Say that a local holds a value from here on."""
        self.locals[value] = local
        self.held[local] = value
        return local

    def needs(self, value: Value) -> bool:
        """Whether something reads the value after the node that is being written."""
        return any(frame.needs(value) for frame in self.frames)

    def unique(self, text: str) -> str:
        base = re.sub(r"\W", "_", text)
        if not base or base[0].isdigit() or keyword.iskeyword(base):
            base = "v_" + base
        candidate, n = base, 1
        while candidate in self.used:
            n += 1
            candidate = f"{base}_{n}"
        self.used.add(candidate)
        return candidate

    # -- other things that lines name -----------------------------------------------------------------------------

    def constant(self, value: object, hint: str) -> str:
        """Source text for an object: itself if it is a literal, else a global."""
        if type(value) in _LITERALS and value == value and value not in (float("inf"), float("-inf")):
            return repr(value)
        name = self.global_of.get(id(value))
        if name is None:
            name = self.global_of[id(value)] = self.unique(hint)
            self.globals[name] = value
        return name

    def scope_var(self, name: str) -> str:
        return f"scope[{self.scope_vars.setdefault(name, len(self.scope_vars))}]"

    def shape_of(self, value: Value) -> str:
        """Source text for the shape of a value, which may have outlived it."""
        return self.shapes.get(value) or f"{self.locals[value]}.shape"

    # -- undoing what was written ----------------------------------------------------------------------

    def save(self) -> tuple:
        return (
            len(self.lines), dict(self.node_at), dict(self.idents), dict(self.locals), dict(self.held),
            dict(self.lods), dict(self.shapes), dict(self.scope_vars), set(self.used),
        )  # fmt: skip

    def restore(self, state: tuple) -> None:
        length, nodes, idents, locals_, held, lods, shapes, scope_vars, used = state
        self.node_at, self.idents, self.locals, self.held = dict(nodes), dict(idents), dict(locals_), dict(held)
        self.lods, self.shapes, self.scope_vars = dict(lods), dict(shapes), dict(scope_vars)
        del self.lines[length:]
        self.used = used | set(self.globals)

    # -- lines --------------------------------------------------------------------------------------------------

    def line(self, text: str, node: Node | None = None, indent: int = 1) -> None:
        self.lines.append("    " * indent + text)
        if node is not None:
            self.node_at[len(self.lines)] = node

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"
