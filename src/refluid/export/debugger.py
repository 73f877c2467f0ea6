"""Programs as one reads them, and drawn, in the forms of paddle.fluid.debugger."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from refluid.core import dtypes, flags, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import EnforceNotMet
from refluid.executor.executor import Executor
from refluid.export.drawing.dot import GraphPreviewGenerator, Node
from refluid.ir import program as programs
from refluid.ir.block import Block
from refluid.ir.program import Program
from refluid.saving.framework_messages import AttrType, BlockDesc
from refluid.saving.variables import save_persistables

if TYPE_CHECKING:
    from refluid.saving.records import Record
    from refluid.tensor.scope import Scope

reprtpl = "{ttype} {name} ({reprs})"
_FIELDS = {
    "INT": "i", "FLOAT": "f", "STRING": "s", "INTS": "ints", "FLOATS": "floats", "STRINGS": "strings", "BOOLEAN": "b",
    "BOOLEANS": "bools", "BLOCK": "block_idx", "LONG": "l", "BLOCKS": "blocks_idx", "LONGS": "longs",
}  # fmt: skip


def repr_data_type(type: int) -> str:
    return dtypes.dtype_name(VarType(type))


def repr_tensor(proto: Record) -> str:
    return f"tensor(type={repr_data_type(proto.data_type)}, shape={list(proto.dims)})"


def repr_lodtensor(proto: Record) -> str | None:
    """A variable that holds a tensor; None of any other."""
    if proto.type.type != VarType.LOD_TENSOR:
        return None
    level, tensor = proto.type.lod_tensor.lod_level, repr_tensor(proto.type.lod_tensor.tensor)
    kind, text = ("LoDTensor", f"level={level}, {tensor}") if level else ("Tensor", tensor)
    return reprtpl.format(ttype=kind, name=proto.name, reprs=text)


def repr_selected_rows(proto: Record) -> str | None:
    """A variable that holds selected rows; None of any other."""
    if proto.type.type != VarType.SELECTED_ROWS:
        return None
    return reprtpl.format(ttype="SelectedRows", name=proto.name, reprs=repr_tensor(proto.type.selected_rows))


def repr_tensor_array(proto: Record) -> str | None:
    """A variable that holds an array of tensors; None of any other."""
    if proto.type.type != VarType.LOD_TENSOR_ARRAY:
        return None
    array = proto.type.tensor_array
    text = f"level={array.lod_level}, {repr_tensor(array.tensor)}"
    return reprtpl.format(ttype="TensorArray", name=proto.name, reprs=text)


type_handlers: list[Callable[[Any], str | None]] = [repr_lodtensor, repr_selected_rows, repr_tensor_array]


def repr_var(vardesc: Record) -> str:
    """A variable as one line."""
    found = (handler(vardesc) for handler in type_handlers)
    return next((text for text in found if text), f"{VarType(vardesc.type.type).name} {vardesc.name}")


def repr_attr(desc: Record) -> tuple[str, tuple[str, Any]]:
    """('name=value', (name, value)) of an attribute."""
    value = getattr(desc, _FIELDS[AttrType.Name(desc.type)])
    value = repr_data_type(value) if desc.name == "dtype" else value
    return f"{desc.name}={value}", (desc.name, value)


def _repr_op_fill_constant(optype: str, inputs: list[str], outputs: list[str], attrs: dict[str, Any]) -> str | None:
    if optype != "fill_constant":
        return None
    return f"{','.join(outputs)} = {attrs['value']} [shape={attrs['shape']}]"


op_repr_handlers: list[Callable[..., str | None]] = [_repr_op_fill_constant]


def repr_op(opdesc: Record) -> str:
    """An operator as one line."""

    def names(var: Record) -> str:
        return var.arguments[0] if len(var.arguments) == 1 else str(list(var.arguments))

    inputs = [f"{var.parameter}={names(var)}" for var in opdesc.inputs]
    outputs = [names(var) for var in opdesc.outputs]
    attrs = [repr_attr(attr) for attr in opdesc.attrs]
    for handler in op_repr_handlers:
        text = handler(opdesc.type, inputs, outputs, dict(pair for _, pair in attrs))
        if text:
            return text
    target = ", is_target" if opdesc.is_target else ""
    told = ",".join(text for text, _ in attrs)
    return f"{', '.join(outputs)} = {opdesc.type}({', '.join(inputs)}{target}) [{{{told}}}]"


def _message(block: Any) -> Record:
    return block if isinstance(block, BlockDesc) else BlockDesc.FromString(block.desc.serialize_to_string())


def _is_backward(op: Record) -> bool:
    slots = [*op.inputs, *op.outputs]
    return op.type.endswith("_grad") or any("@GRAD" in name for s in slots for name in (s.parameter, *s.arguments))


def pprint_program_codes(program_desc: Program) -> str:
    """All blocks of a program as text, without what is backward."""
    return "\n".join(pprint_block_codes(block) for block in program_desc.blocks)


def pprint_block_codes(block_desc: object, show_backward: bool = False) -> str:
    """A block (or its message) as text: a line per variable and operator."""
    desc = _message(block_desc)
    variables = [repr_var(var) for var in desc.vars if show_backward or "@GRAD" not in var.name]
    operators = [repr_op(op) for op in desc.ops if show_backward or not _is_backward(op)]
    lines = [
        f"// block-{desc.idx}  parent-{desc.parent_idx}",
        "// variables",
        *variables,
        "",
        "// operators",
        *operators,
    ]
    return "\n".join([*lines, ""])


def draw_block_graphviz(block: Block, highlights: Iterable[str] | None = None, path: str = "./temp.dot") -> None:
    """Write the graph of a block for graphviz; what matches one of the patterns in `highlights` is marked."""
    patterns = [re.compile(pattern) for pattern in highlights or ()]
    graph, desc = GraphPreviewGenerator("some graph"), _message(block)

    def marked(name: str) -> bool:
        return any(pattern.match(name) for pattern in patterns)

    nodes: dict[str, Node] = {}
    for var in desc.vars:
        if var.persistable:
            kind = str(var.type).replace("\n", "<br />", 1)
            nodes[var.name] = graph.add_param(var.name, kind, highlight=marked(var.name))
        else:
            nodes[var.name] = graph.add_arg(var.name, highlight=marked(var.name))
    for op in desc.ops:
        node = graph.add_op(op.type, highlight=marked(op.type))
        for slots, forth in ((op.inputs, False), (op.outputs, True)):
            for name in [name for slot in slots for name in slot.arguments]:
                if name not in nodes:
                    nodes[name] = graph.add_arg(name, highlight=marked(name))
                ends = (node, nodes[name]) if forth else (nodes[name], node)
                graph.add_edge(*ends, highlight=marked(op.type) or marked(name))
    graph(path, show=False)


def prepare_fast_nan_inf_debug(_program: Program | None) -> None:
    """Append a sum of every variable of floats, which a run then checks in their place."""
    for block in (_program or programs.default_main_program()).blocks:
        for var in list(block.vars.values()):
            if var.type == VarType.LOD_TENSOR and dtypes.is_floating(var.dtype):
                out = block.create_var(name=unique_name.generate(f"debug_var_{var.name}"), dtype=var.dtype)
                block.append_op("sum", {"X": [var]}, {"Out": out})


def run_fast_nan_inf_debug(
    executor: Executor,
    program: Program | None = None,
    feed: Mapping[str, Any] | None = None,
    fetch_list: Sequence[Any] | None = None,
    feed_var_name: str = "feed",
    fetch_var_name: str = "fetch",
    scope: Scope | None = None,
    return_numpy: bool = True,
    use_program_cache: bool = False,
    dump_core: bool = True,
) -> list[Any] | None:
    """Run a program and look for NaN and Inf; if it fails, say so, and write the persistable variables to a file.

    Returns what the run fetches, or None if it failed.
    """
    before = flags.FLAGS["FLAGS_check_nan_inf"]
    flags.FLAGS["FLAGS_check_nan_inf"] = True
    try:
        return executor.run(program, feed, fetch_list, scope=scope, return_numpy=return_numpy)
    except EnforceNotMet as error:
        print(f"catch an exception:\n{error}")
        if dump_core:
            name = f"core{os.getpid()}.pdckpt"
            save_persistables(executor, "./", main_program=program, filename=name)
            print(f"dumping a core into ./{name}")
        return None
    finally:
        flags.FLAGS["FLAGS_check_nan_inf"] = before
