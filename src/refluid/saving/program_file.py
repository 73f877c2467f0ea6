"""Programs as ProgramDesc bytes, both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from refluid.core.dtypes import NAME, VarType
from refluid.core.errors import EnforceNotMet
from refluid.data.loading.reader_ops import find_readers
from refluid.ir import desc as views
from refluid.ir.block import Block
from refluid.ir.desc import FILE_VERSION
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.saving.compatible_map import write_map
from refluid.saving.hints import hints
from refluid.saving.schema import ATTR_TYPES, BlockDesc, OpDesc, ProgramDesc, VarDesc

if TYPE_CHECKING:
    from refluid.saving.records import Record

_FIELDS = {
    "INT": "i", "FLOAT": "f", "STRING": "s", "INTS": "ints", "FLOATS": "floats", "STRINGS": "strings", "BOOLEAN": "b",
    "BOOLEANS": "bools", "BLOCK": "block_idx", "LONG": "l", "BLOCKS": "blocks_idx", "LONGS": "longs",
}  # fmt: skip
_DEEPEST = 100  # blocks inside one another
_MOST_PATHS = 10_000  # to one block, through operators that run blocks
_TYPE_NAMES = {number: name for name, number in ATTR_TYPES.items()}


def to_bytes(program: Program) -> bytes:
    desc = ProgramDesc()
    desc.version.version = program.file_version or FILE_VERSION
    for block in program.blocks:
        _write_block(desc.blocks.add(), block)
    if program.tells_versions:
        write_map(desc.op_compatible_map)
    return desc.SerializeToString()


def _write_block(desc: Record, block: Block) -> None:
    desc.idx, desc.parent_idx, desc.forward_block_idx = block.idx, block.parent_idx, block.forward_block_idx
    for var in block.vars.values():
        _write_var(desc.vars.add(), var)
    for op in block.ops:
        _write_op(desc.ops.add(), op)


def _write_var(desc: Record, var: Variable) -> None:
    desc.name = var.name.encode()
    desc.type.type = int(var.type)
    desc.persistable = var.persistable
    if var.need_check_feed:
        desc.need_check_feed = True
    if var.type == VarType.LOD_TENSOR:
        holder = desc.type.lod_tensor
        holder.lod_level = var.lod_level
        tensor = holder.tensor
    elif var.type == VarType.LOD_TENSOR_ARRAY:
        holder = desc.type.tensor_array
        holder.lod_level = var.lod_level
        tensor = holder.tensor
    elif var.type == VarType.SELECTED_ROWS:
        tensor = desc.type.selected_rows
    else:
        return
    tensor.data_type = int(var.dtype)
    tensor.dims.extend(var.shape)


def _write_op(desc: Record, op: Operator) -> None:
    desc.type = op.type.encode()
    definition = op.definition
    inputs: dict[str, list[str]] = {}
    outputs: dict[str, list[str]] = {}
    if definition is not None and definition.forward is None:  # 1.8.5 wants every slot, though it be empty
        inputs = {slot.name: [] for slot in definition.inputs}
        outputs = {slot.name: [] for i, slot in enumerate(definition.outputs) if i not in definition.hidden}
    for slots, add in (({**inputs, **op.inputs}, desc.inputs.add), ({**outputs, **op.outputs}, desc.outputs.add)):
        for slot, names in slots.items():
            entry = add()
            entry.parameter = slot.encode()
            entry.arguments.extend(name.encode() for name in names)
    for name, value in op.attrs.items():
        if value is not None:
            _write_attr(desc.attrs.add(), name, op.attr_type(name), value)
    for name, (kind, value) in hints(definition, op.attrs).items():
        _write_attr(desc.attrs.add(), name, kind, value)


def _write_attr(desc: Record, name: str, kind: str, value: Any) -> None:
    desc.name, desc.type = name.encode(), ATTR_TYPES[kind]
    field = _FIELDS[kind]
    if kind in ("STRING", "STRINGS"):
        value = value.encode() if kind == "STRING" else [v.encode() for v in value]
    elif kind == "BLOCK":
        value = value.idx
    elif kind == "BLOCKS":
        value = [block.idx for block in value]
    if isinstance(value, list | tuple):
        getattr(desc, field).extend(value)
    else:
        setattr(desc, field, value)


def from_bytes(data: bytes, what: str) -> Program:
    """The program in `data`; `what` names the file for errors."""
    desc = ProgramDesc()
    try:
        desc.ParseFromString(data)
    except Exception as error:  # protobuf's own, which is no class of ours
        raise EnforceNotMet(f"{what}: this is not a program file ({error})") from None
    if not desc.blocks:
        raise EnforceNotMet(f"{what}: this is not a program file: it has no blocks")
    for position, block in enumerate(desc.blocks):
        if block.idx != position or not -1 <= block.parent_idx < position:
            raise EnforceNotMet(f"{what}: block {position} calls itself {block.idx} in block {block.parent_idx}")
    try:
        program = _read_program(desc)
    except (UnicodeDecodeError, IndexError, KeyError, ValueError) as error:
        raise EnforceNotMet(f"{what}: the program file is damaged ({error})") from None
    _check_nesting(program, what)
    return program


def _check_nesting(program: Program, what: str) -> None:
    """Refuse blocks inside blocks that nobody wrote: every walk over a program goes as deep and as often as they do."""
    count = len(program.blocks)
    depths, paths = [0] * count, [0] * count
    paths[0] = 1
    for block in program.blocks:
        if block.parent_idx >= 0:
            depths[block.idx] = max(depths[block.idx], depths[block.parent_idx] + 1)
        depth = depths[block.idx]
        if depth > _DEEPEST:
            raise EnforceNotMet(f"{what}: block {block.idx} is nested {depth} blocks deep; the maximum is {_DEEPEST}")
        if paths[block.idx] > _MOST_PATHS:
            raise EnforceNotMet(
                f"{what}: {paths[block.idx]} paths lead to block {block.idx}; {_MOST_PATHS} are the most"
            )
        for op in block.ops:
            for inner in op.blocks:
                depths[inner.idx] = max(depths[inner.idx], depth + 1)
                paths[inner.idx] += paths[block.idx]


def _read_program(desc: Record) -> Program:
    program = Program()
    program.blocks = [Block(program, block.idx, block.parent_idx) for block in desc.blocks]
    for block, entry in zip(program.blocks, desc.blocks, strict=True):
        block.forward_block_idx = entry.forward_block_idx if entry.HasField("forward_block_idx") else -1
        for var in entry.vars:
            variable = _read_var(block, var)
            block.vars[variable.name] = variable
        block.ops = [_read_op(block, op) for op in entry.ops]
    program.readers = find_readers(program)
    program.touch()
    return program


def _read_var(block: Block, desc: Record) -> Variable:
    kind = VarType(desc.type.type)
    shape = dtype = None
    lod_level = 0
    for field in ("lod_tensor", "tensor_array", "selected_rows"):
        if desc.type.HasField(field):
            holder = getattr(desc.type, field)
            tensor = holder if field == "selected_rows" else holder.tensor
            lod_level = 0 if field == "selected_rows" else holder.lod_level
            shape, dtype = list(tensor.dims), VarType(tensor.data_type)
            if dtype not in NAME:  # Fluid: a variable whose dtype nobody has set says that it is a LoDTensor of those
                dtype = None
    return Variable(
        block, kind, name=desc.name.decode(), shape=shape, dtype=dtype, lod_level=lod_level,
        persistable=desc.persistable, need_check_feed=desc.need_check_feed,
    )  # fmt: skip


def _read_op(block: Block, desc: Record) -> Operator:
    def slots(entries: Iterable[Record]) -> dict[str, list[str]]:
        return {e.parameter.decode(): [a.decode() for a in e.arguments] for e in entries if e.arguments}

    attrs: dict[str, Any] = {}
    for attr in desc.attrs:
        kind = _TYPE_NAMES[attr.type]
        value = getattr(attr, _FIELDS[kind])
        if kind == "STRING":
            value = value.decode(errors="replace")
        elif kind == "STRINGS":
            value = [v.decode(errors="replace") for v in value]
        elif kind == "BLOCK":
            value = _block(block, desc, value)
        elif kind == "BLOCKS":
            value = [_block(block, desc, i) for i in value]
        elif kind.endswith("S"):
            value = list(value)
        attrs[attr.name.decode()] = value
    op = Operator(block, desc.type.decode(), slots(desc.inputs), slots(desc.outputs), attrs, None)
    op.fill_in_defaults()  # files of older releases lack attributes that came later
    _check_blocks(op)
    return op


def _block(block: Block, desc: Record, index: int) -> Block:
    """A block inside `block`: it comes later in the program."""
    kind, count = desc.type.decode(), len(block.program.blocks)
    if index <= block.idx:
        raise IndexError(f"the operator {kind} of block {block.idx} runs block {index}, which does not come after it")
    if index >= count:
        raise IndexError(f"the operator {kind} of block {block.idx} runs block {index}; the program has {count} blocks")
    return block.program.blocks[index]


def _check_blocks(op: Operator) -> None:
    """Refuse an operator that runs a block and has none, or a number that is not said to be one."""
    wanted = op.definition is not None and "sub_block" in op.definition.attrs
    for name, kind in (("sub_block", Block), ("optimize_blocks", list)):
        value = op.attrs.get(name)
        blocks = value if isinstance(value, list) else [value]
        fits = isinstance(value, kind) and all(isinstance(one, Block) for one in blocks)
        if (value is not None and not fits) or (value is None and name == "sub_block" and wanted):
            got = "none" if value is None else f"{type(value).__name__} {value!r:.40}"
            raise ValueError(f"the operator {op.type} of block {op.block.idx} must have a block as {name}, got {got}")


def parse_from_string(binary_str: bytes) -> Program:
    """The program that `program.desc.serialize_to_string()` gave, or that a file holds."""
    return from_bytes(binary_str, "parse_from_string")


def _bytes_of(message: type[Record], write: Callable[[Any, Any], None]) -> Callable[[Any], bytes]:
    def serialize_to_string(view: views.Desc) -> bytes:
        desc = message()
        write(desc, view.of)
        return desc.SerializeToString()

    return serialize_to_string


# What views of programs call (ir/desc.py).
bytes_of_block = _bytes_of(BlockDesc, _write_block)
bytes_of_op = _bytes_of(OpDesc, _write_op)
bytes_of_var = _bytes_of(VarDesc, _write_var)


def bytes_of_program(view: views.ProgramDesc) -> bytes:
    return to_bytes(view.of)
