"""Writes a graph as Python source: one line per call, temporaries deleted after their last use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from refluid.core import flags
from refluid.executor import runtime
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Body, Region
from refluid.executor.graph.value import Value
from refluid.executor.pointwise.write import write_run
from refluid.executor.source import Frame, Source
from refluid.ops.registry import OpDef

if TYPE_CHECKING:
    from refluid.executor.compiling.group import Group


def emit(
    source: Source, region: Region, keep: Iterable[Value], indent: int = 1, nodes: list[Node] | None = None,
    shapes: Iterable[Value] = (),
) -> None:  # fmt: skip
    """Write the nodes of a region, or some of them. Of `keep` the values must survive, of `shapes` the shapes."""
    nodes = region.nodes if nodes is None else nodes
    bound: set[Value] = set()
    reads = [node.split_reads() for node in nodes]
    last_value, last_use = _last_uses(nodes, reads)
    last_use.update(dict.fromkeys(shapes, len(nodes)))
    frame = Frame(set(keep), last_use)
    if isinstance(region, Body):
        bound.update(region.carried, region.params)  # whose locals the next iteration needs
    source.frames.append(frame)
    inside: set[Node] = set()  # of a group that is written already
    for i, node in enumerate(nodes):
        if node in inside:
            continue
        frame.now = i
        run = source.runs.get(node)
        if run is not None and not source.lods:
            inside.update(run.nodes)
            write_run(source, run, partial(_emit_one, source, region, frame, last_value, indent + 1), indent)
            continue
        group = source.groups.get(node)
        if group is not None and not _makes_lods(source, group.nodes):
            inside.update(group.nodes)
            _emit_group(source, frame, group, indent)
            touched = (v for k in range(i, frame.now + 1) for v in (*reads[k][0], *reads[k][1], *nodes[k].writes()))
            _emit_deletions(source, region, frame, last_value, touched, node, indent)
            continue
        _emit_node(source, node, indent)
        touched = (value for value in (*reads[i][0], *reads[i][1], *node.writes()) if value not in bound)
        _emit_deletions(source, region, frame, last_value, touched, node, indent)
    source.frames.pop()


def _emit_one(
    source: Source, region: Region, frame: Frame, last_value: dict[Value, int], indent: int, node: Node
) -> None:
    """Write a node of a run, and delete what nobody reads after it."""
    _emit_node(source, node, indent)
    touched = (*node.reads(), *node.writes())
    _emit_deletions(source, region, frame, last_value, touched, node, indent)
    frame.now += 1


def _makes_lods(source: Source, nodes: list[Node]) -> bool:
    """Whether some rule computes LoDs here, from tensors that a compiled function does not give."""
    return bool(source.lods) and any(node.op.rules.lods is not None for node in nodes)


def _emit_group(source: Source, frame: Frame, group: Group, indent: int) -> None:
    """Write a call of a compiled function, and the lines of its nodes for inputs that it does not match."""
    first = group.nodes[0]
    inputs = [*map(source.local, group.inputs), *map(source.shape_of, group.shapes)]
    results = source.unique("computed")
    call = f"{source.constant(group.caller, 'compiled')}({', '.join(inputs)})"
    source.line(f"{results} = {call}", first, indent)
    source.line(f"if {results} is None:", None, indent)
    for node in group.nodes:
        _emit_node(source, node, indent + 1)
        frame.now += 1
    frame.now -= 1
    gone = {source.local(v): v for v in group.internal if source.held.get(source.local(v)) is v}
    for local in gone:
        del source.held[local]
    if gone:
        source.line(f"del {', '.join(gone)}", None, indent + 1)
    if group.results:
        source.line("else:", None, indent)
        source.line(f"{', '.join(map(source.local, group.results))}, = {results}", None, indent + 1)
    source.line(f"del {results}", None, indent)


def _last_uses(
    nodes: list[Node], reads: list[tuple[list[Value], list[Value]]]
) -> tuple[dict[Value, int], dict[Value, int]]:
    """Where values are read last, and where they or their shapes are."""
    last_value: dict[Value, int] = {}
    last_use: dict[Value, int] = {}
    for i, node in enumerate(nodes):
        values, shapes = reads[i]
        for value in node.writes():
            last_value[value] = last_use[value] = i
        for value in values:
            last_value[value] = last_use[value] = i
        for value in shapes:
            last_use[value] = i
            if value.may_be_none:  # and then it has no shape
                last_value[value] = i
    return last_value, last_use


def _emit_deletions(
    source: Source, region: Region, frame: Frame, last_value: dict[Value, int], values: Iterable[Value], node: Node,
    indent: int,
) -> None:  # fmt: skip
    gone: dict[str, None] = {}
    for value in dict.fromkeys(values):
        if value.region is not region or value.persistable or value in frame.keep or value in source.shapes:
            continue
        if last_value.get(value, -1) > frame.now or value not in source.locals:
            continue
        local = source.locals[value]
        if source.held.get(local) is not value:
            continue  # the local holds another value by now
        if frame.last_use.get(value, -1) > frame.now:
            source.shapes[value] = source.unique(f"{local}_shape")
            source.line(f"{source.shapes[value]} = {local}.shape", node, indent)
        gone[local] = None
        del source.held[local]
    if gone:
        source.line(f"del {', '.join(gone)}", None, indent)


def _emit_node(source: Source, node: Node, indent: int) -> None:
    emitter = EMITTERS.get(node.op.type)
    if emitter is not None:
        emitter(source, node, indent)
        return
    call = f"{source.constant(node.kernel or node.op.kernel, node.name)}({', '.join(_arguments(source, node))})"
    target = _target(source, node)
    site = node.operator.site
    where = f"  # {site.filename.rsplit('/', 1)[-1]}:{site.line}" if site else ""
    source.line((f"{target} = {call}" if target else call) + where, node, indent)
    _emit_lods(source, node, indent)
    emit_stores(source, node, indent, fresh=not any(node.inputs) or (node.op.fresh and node.kernel is None))
    if source.check_nan:
        for value in node.writes():
            source.line(f"check_finite({source.local(value)}, {value.name!r})", node, indent)


def emit_stores(source: Source, node: Node, indent: int, fresh: bool) -> None:
    """Store persistable values that the kernel created in the scope."""
    for value in node.writes():
        if value.persistable and value.base is None:
            local = source.local(value)
            lod = f", {source.lods[value]}" if value in source.lods else ""
            source.line(f"{local} = put({source.scope_var(value.name)}, {local}, {fresh}{lod})", node, indent)


# -- the call ---------------------------------------------------------------------------------------------------


def _arguments(source: Source, node: Node) -> list[str]:
    op = node.op
    if node.grouped:
        slots = ([source.local(value) for value in values if value] for values in node.inputs)
        args = [f"[{', '.join(found)}]" if found else "None" for found in slots]
    else:
        args = [_argument(source, node, param.kind, param.slot) for param in op.params]
    defaults = {attr.param: attr.default for attr in op.attrs.values()}
    for name, value in node.attrs.items():
        if node.grouped or type(value) is not type(defaults.get(name)) or value != defaults[name]:
            args.append(f"{name}={source.constant(value, f'{op.type}_{name}')}")
    for name in op.engine:
        args.append(f"{name}={_engine_argument(source, node, name)}")
    return args


def _argument(source: Source, node: Node, kind: str, slot: int) -> str:
    values = node.inputs[slot]
    if kind == "lod":
        texts = ["None" if value is None else source.lods.get(value, "None") for value in values]
    elif kind == "shape":
        texts = ["None" if value is None else source.shape_of(value) for value in values]
    else:
        texts = ["None" if value is None else source.local(value) for value in values]
    if node.op.inputs[slot].duplicable:
        return f"[{', '.join(texts)}]" if values else "None"
    return texts[0] if texts else "None"


def _engine_argument(source: Source, node: Node, name: str) -> str:
    if name == "device":
        return source.constant(source.device, "device")
    if name == "last":
        return "last"
    if name == "needs":
        return repr(tuple(any(value is not None for value in values) for values in node.outputs))
    operator = node.operator
    position = operator.block.ops.index(operator)
    seed = operator.attrs.get("seed", 0) if operator.attrs.get("fix_seed", True) else 0
    generator = runtime.Generator(source.program.random, node.op.random or "stream", int(seed or 0), position)
    return source.constant(generator, f"{node.op.type}_rng") + "()"


def _target(source: Source, node: Node) -> str:
    """The left side of the assignment; '' when nothing is to be assigned."""
    outputs = list(node.writes())
    for value in outputs:
        source.define(value)
    if node.grouped or all(value.base is not None for value in outputs):
        return ""
    parts = []
    for slot, values in zip(node.op.outputs, node.outputs, strict=True):
        locals_ = [source.local(value) if value else "_" for value in values]
        if slot.duplicable:
            parts.append(f"[{', '.join(locals_)}]" if values else "_")
        else:
            parts.append(locals_[0] if locals_ else "_")
    return parts[0] if node.op.single else ", ".join(parts)


# -- LoDs -------------------------------------------------------------------------------------------------------


def _emit_lods(source: Source, node: Node, indent: int) -> None:
    """Pass on LoDs: by name alone where the rule is the default one, by a call where the operator has its own."""
    op, lods = node.op, source.lods
    if node.owners is not None:  # a gradient has the LoD of its variable
        for values, owners in zip(node.outputs, node.owners, strict=True) if lods else ():
            for value, owner in zip(values, owners, strict=False):
                if value is not None and owner in lods:
                    lods[value] = lods[owner]
        return
    if op.tells_lod:
        for output in node.writes():
            lods[output] = local = source.unique(f"{source.local(output)}_lod")
            source.line(f"{local} = getattr({source.local(output)}, 'lod', None)", node, indent)
        return
    carries = bool(lods) and any(value in lods for values in node.inputs for value in values if value)
    if op.rules.lods is not None and (carries or op.makes_lod):
        ins = ", ".join(_slot_text(node, i, lambda v: lods.get(v, "None")) for i in range(len(op.inputs)))
        arguments = ", ".join(_slot_text(node, i, source.local) for i in range(len(op.inputs)))
        rule = source.constant(op.rules.lods, f"{op.type}_lods")
        attrs = source.constant(node.attrs, f"{op.type}_attrs")
        targets = []
        for outputs in node.outputs:
            local = source.unique(f"{source.local(outputs[0])}_lod") if outputs and outputs[0] else "_"
            targets.append(local)
            lods.update((value, local) for value in outputs if value)
        source.line(f"{', '.join(targets)}, = {rule}([{ins}], [{arguments}], {attrs})", node, indent)
        return
    if op.lod is not None and carries:
        slots = [op.input_index[s] for s in op.lod.split()] if op.lod else range(len(op.inputs))
        lod = next((lods[value] for i in slots for value in node.inputs[i] if value in lods), None)
        if lod is not None:
            lods.update((value, lod) for value in node.writes() if not value.is_array)


def _slot_text(node: Node, slot: int, text: Callable[[Value], str]) -> str:
    found = ["None" if value is None else text(value) for value in node.inputs[slot]]
    if node.op.inputs[slot].duplicable:
        return f"[{', '.join(found)}]"
    return found[0] if found else "None"


# -- nodes that are more than a call ----------------------------------------------------------------------------

Emitter = Callable[[Source, Node, int], None]
EMITTERS: dict[str, Emitter] = {}


def emits(op: OpDef) -> Callable[[Emitter], Emitter]:
    """Decorator: the emitter of an operator that is more than a call, above all one with a body."""

    def register(emitter: Emitter) -> Emitter:
        EMITTERS[op.type] = emitter
        return emitter

    return register


def nan_checks_wanted() -> bool:
    return bool(flags.get("FLAGS_check_nan_inf"))
