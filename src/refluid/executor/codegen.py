"""Writes a list of steps as Python source: one line per call, temporaries deleted after their last use."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable
from typing import Any

import torch

from refluid.core import flags
from refluid.executor import runtime
from refluid.executor.step import Step
from refluid.ops.registry import OpDef
from refluid.ops.signature import GRAD_SUFFIX

_LITERALS = (int, float, bool, str, type(None))


class Source:
    """The text of a plan, the objects it refers to, and which step each line belongs to."""

    def __init__(self, persistable: Callable[[str], bool], device: torch.device, program: Any, check_nan: bool):
        self.persistable = persistable
        self.device = device
        self.program = program
        self.check_nan = check_nan
        self.lines: list[str] = []
        self.step_at: dict[int, Step] = {}
        self.globals: dict[str, Any] = {"put": runtime.put, "check_finite": runtime.check_finite, "torch": torch}
        self.globals["last"] = True  # but for gradients that may be asked for again; see jit/split.py
        self.idents: dict[str, str] = {}
        self.lods: dict[str, str] = {}  # variable -> the local that holds its LoD
        self.shapes: dict[str, str] = {}  # variable -> the local that holds its shape, when its value is gone
        self.runs_again = False  # whether the lines being written may run more than once on the same values
        self.deleted: set[str] = set()  # variables whose locals are gone by now
        self.fetched: dict[str, str] = {}  # variable -> the local to fetch, where later lines use another one for it
        self.scope_vars: list[str] = []
        self.used: set[str] = {"feeds", "lods", "scope", "run", "back", "grads", "kept", *self.globals}

    # -- names --------------------------------------------------------------------------------------------------

    def ident(self, name: str) -> str:
        """The local of a variable."""
        if name not in self.idents:
            self.idents[name] = self.unique(name.replace("@GRAD", "_grad"))
        return self.idents[name]

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

    def constant(self, value: Any, hint: str) -> str:
        """Source text for a value: itself if it is a literal, else a global."""
        if type(value) in _LITERALS and value == value and value not in (float("inf"), float("-inf")):
            return repr(value)
        for name, known in self.globals.items():
            if known is value:
                return name
        name = self.unique(hint)
        self.globals[name] = value
        return name

    def scope_var(self, name: str) -> str:
        if name not in self.scope_vars:
            self.scope_vars.append(name)
        return f"scope[{self.scope_vars.index(name)}]"

    def shape_of(self, name: str) -> str:
        """Source text for the shape of a variable, which may have outlived its value."""
        return self.shapes.get(name) or f"{self.ident(name)}.shape"

    # -- what was written, to be taken back ----------------------------------------------------------------------

    def save(self) -> tuple:
        return (
            len(self.lines), dict(self.step_at), dict(self.idents), dict(self.lods), list(self.scope_vars),
            set(self.used), dict(self.shapes), dict(self.fetched),
        )  # fmt: skip

    def restore(self, state: tuple) -> None:
        length, self.step_at, self.idents, self.lods, self.scope_vars, used, shapes, self.fetched = state
        self.shapes.clear()  # it is the very dictionary that `emit` writes to
        self.shapes.update(shapes)
        del self.lines[length:]
        self.used = used | set(self.globals)

    # -- lines --------------------------------------------------------------------------------------------------

    def line(self, text: str, step: Step | None = None, indent: int = 1) -> None:
        self.lines.append("    " * indent + text)
        if step is not None:
            self.step_at[len(self.lines)] = step

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def emit(
    source: Source,
    steps: list[Step],
    keep: set[str],
    indent: int = 1,
    outer: frozenset[str] = frozenset(),
    known_shapes: dict[str, str] | None = None,
) -> None:
    """Write the steps. `keep` are variables that must survive; `outer` are defined outside and not ours to delete.

    `known_shapes` are locals with the shapes of variables whose values are not there.
    """
    last_value, last_any = _last_uses(steps)
    around, source.shapes = source.shapes, {**source.shapes, **(known_shapes or {})}
    idents = dict(source.idents)
    shapes = source.shapes
    for i, step in enumerate(steps):
        _emit_step(source, step, shapes, indent, keep, outer)
        gone = []
        for name in dict.fromkeys((*step.reads(), *step.writes())):
            if name in keep or name in outer or source.persistable(name):
                continue
            if last_value.get(name, -1) <= i and name not in shapes:
                if last_any.get(name, -1) > i:
                    shapes[name] = source.unique(f"{source.ident(name)}_shape")
                    source.line(f"{shapes[name]} = {source.ident(name)}.shape", step, indent)
                gone.append(source.ident(name))
                source.deleted.add(name)
        if gone:
            source.line(f"del {', '.join(gone)}", None, indent)
    source.shapes = around
    if indent > 1:  # where a block has used another local for an outer variable, that ends with it
        source.idents.update(idents)


def _last_uses(steps: list[Step]) -> tuple[dict[str, int], dict[str, int]]:
    last_value: dict[str, int] = {}
    last_any: dict[str, int] = {}
    written: dict[str, int] = {}
    for i, step in enumerate(steps):
        for name in step.value_reads():
            last_value[name] = last_any[name] = i
        for name in step.shape_reads():
            last_any[name] = i
            if written.get(name, 0) > 1:
                last_value[name] = i  # rewritten under the same name: the shape is that of the newest value
        for name in step.writes():
            written[name] = written.get(name, 0) + 1
            last_value[name] = max(last_value.get(name, -1), i)
            last_any[name] = max(last_any.get(name, -1), i)
    return last_value, last_any


def _emit_step(
    source: Source, step: Step, shapes: dict[str, str], indent: int, keep: set[str], outer: frozenset[str]
) -> None:
    if step.op.type in BLOCK_OPS:
        BLOCK_OPS[step.op.type](source, step, indent, keep, outer)
        return
    if step.constant is not None:
        name = step.outputs[0][0] or ""
        source.line(
            f"{source.ident(name)} = {source.constant(step.constant, f'{source.ident(name)}_value')}", step, indent
        )
        source.lods.pop(name, None)
        return
    args = _arguments(source, step, shapes)
    kernel = step.kernel or step.op.kernel
    call = f"{source.constant(kernel, step.name)}({', '.join(args)})"
    target = _target(source, step)
    where = (
        f"  # {step.operator.site.filename.rsplit('/', 1)[-1]}:{step.operator.site.line}" if step.operator.site else ""
    )
    source.line((f"{target} = {call}" if target else call) + where, step, indent)
    _emit_lods(source, step, indent)
    for name in _to_store(source, step):
        fresh = not any(step.inputs)
        local = source.ident(name)
        lod = f", {source.lods[name]}" if name in source.lods else ""
        source.line(f"{local} = put({source.scope_var(name)}, {local}, {fresh}{lod})", step, indent)
    if source.check_nan:
        for name in dict.fromkeys(step.writes()):
            source.line(f"check_finite({source.ident(name)}, {name!r})", step, indent)


def _arguments(source: Source, step: Step, shapes: dict[str, str]) -> list[str]:
    op = step.op
    if step.merged:
        slots = zip(*(part.inputs for part in step.merged), strict=True)
        args = []
        for names in slots:
            flat = [part[0] if part else None for part in names]
            args.append(
                "None" if all(n is None for n in flat) else f"[{', '.join(source.ident(n) for n in flat if n)}]"
            )
    else:
        args = [_argument(source, step, param.kind, param.slot, shapes) for param in op.params]
    defaults = {attr.param: attr.default for attr in op.attrs.values()}
    for name, value in step.attrs.items():
        if step.merged or type(value) is not type(defaults.get(name)) or value != defaults[name]:
            args.append(f"{name}={source.constant(value, f'{op.type}_{name}')}")
    for name in op.engine:
        args.append(f"{name}={_engine_argument(source, step, name)}")
    return args


def _argument(source: Source, step: Step, kind: str, slot: int, shapes: dict[str, str]) -> str:
    names = step.inputs[slot]
    if kind == "lod":
        found = [source.lods.get(name or "", "None") for name in names]
    elif kind == "shape":
        found = ["None" if n is None else shapes.get(n) or f"{source.ident(n)}.shape" for n in names]
    else:
        found = ["None" if n is None else source.ident(n) for n in names]
    if step.op.inputs[slot].duplicable:
        return f"[{', '.join(found)}]" if names else "None"
    return found[0] if found else "None"


def _engine_argument(source: Source, step: Step, name: str) -> str:
    if name == "device":
        return source.constant(source.device, "device")
    if name == "last":
        return "last"
    if name == "needs":
        return repr(tuple(any(n is not None for n in names) for names in step.outputs))
    operator = step.operator
    position = operator.block.ops.index(operator)
    seed = operator.attrs.get("seed", 0) if operator.attrs.get("fix_seed", True) else 0
    generator = runtime.Generator(source.program.random, step.op.random or "stream", int(seed or 0), position)
    return source.constant(generator, f"{step.op.type}_rng") + "()"


def _target(source: Source, step: Step) -> str:
    """The left side of the assignment; '' when nothing is to be assigned."""
    if step.merged or not any(name for names in step.outputs for name in names):
        return ""
    inplace = step.inplace_names()
    parts = []
    for slot, names in zip(step.op.outputs, step.outputs, strict=True):
        found = [source.ident(n) if n else "_" for n in names]
        if slot.duplicable:
            parts.append(f"[{', '.join(found)}]" if names else "_")
        else:
            parts.append(found[0] if found else "_")
    if inplace and all(name is None or name in inplace for names in step.outputs for name in names):
        return ""
    return parts[0] if step.op.single else ", ".join(parts)


def _to_store(source: Source, step: Step) -> list[str]:
    """Persistable outputs that the kernel made anew."""
    if step.merged:
        return []
    inplace = step.inplace_names()
    return [n for n in dict.fromkeys(step.writes()) if source.persistable(n) and n not in inplace]


def _emit_lods(source: Source, step: Step, indent: int) -> None:
    """Pass on LoDs: by name alone where the rule is the default one, by a call where the operator has its own."""
    op = step.op
    written = [name for names in step.outputs for name in names if name]
    if op.forward is not None:  # a gradient is ragged as what it is the gradient of
        for slot, names in zip(op.outputs, step.outputs, strict=True):
            owners = step.operator.inputs.get(slot.name.removesuffix(GRAD_SUFFIX), [])
            for name, owner in zip(names, owners, strict=False):
                if name and owner in source.lods:
                    source.lods[name] = source.lods[owner]
                else:
                    source.lods.pop(name or "", None)
        return
    if op.tells_lod:
        for made in written:
            source.lods[made] = told = source.unique(f"{source.ident(made)}_lod")
            source.line(f"{told} = getattr({source.ident(made)}, 'lod', None)", step, indent)
        return
    carries = any(n in source.lods for names in step.inputs for n in names if n)
    if op.lod_rule is not None and (carries or op.makes_lod):
        ins = ", ".join(_slot_text(step, i, lambda n: source.lods.get(n, "None")) for i in range(len(op.inputs)))
        values = ", ".join(_slot_text(step, i, source.ident) for i in range(len(op.inputs)))
        rule = source.constant(op.lod_rule, f"{op.type}_lods")
        attrs = source.constant(step.attrs, f"{op.type}_attrs")
        targets = []
        for names in step.outputs:
            local = source.unique(f"{source.ident(names[0])}_lod") if names and names[0] else "_"
            targets.append(local)
            for name in names:
                if name:
                    source.lods[name] = local
        source.line(f"{', '.join(targets)}, = {rule}([{ins}], [{values}], {attrs})", step, indent)
        return
    found = None
    if op.lod is not None and carries:
        slots = [op.input_index[s] for s in op.lod.split()] if op.lod else range(len(op.inputs))
        found = next((source.lods[n] for i in slots for n in step.inputs[i] if n and n in source.lods), None)
    for name in written:
        if found is None:
            source.lods.pop(name, None)
        else:
            source.lods[name] = found


def _slot_text(step: Step, slot: int, text: Callable[[str], str]) -> str:
    found = ["None" if n is None else text(n) for n in step.inputs[slot]]
    if step.op.inputs[slot].duplicable:
        return f"[{', '.join(found)}]"
    return found[0] if found else "None"


BlockEmitter = Callable[[Source, Step, int, set[str], frozenset[str]], None]
BLOCK_OPS: dict[str, BlockEmitter] = {}


def emits(op: OpDef) -> Callable[[BlockEmitter], BlockEmitter]:
    """Decorator: how a block-carrying operator is written inline."""

    def register(emitter: BlockEmitter) -> BlockEmitter:
        BLOCK_OPS[op.type] = emitter
        return emitter

    return register


def nan_checks_wanted() -> bool:
    return bool(flags.get("FLAGS_check_nan_inf"))
