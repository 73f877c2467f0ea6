"""What Fluid calls descs: the `.desc` of programs, blocks, operators and variables, for code that rewrites programs.

Each is a view: what is set on it is set on the thing itself. `OpDesc()` and `VarDesc(name)` make things that belong to
no program yet, for a graph (graph.py) to take in.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from refluid.core import dtypes
from refluid.core.errors import ArgumentError
from refluid.core.later import Later, LaterStatic
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.variable import Variable

if TYPE_CHECKING:
    from refluid.core.types import Dtype


@functools.cache
def _nowhere() -> Block:
    """The block of things that belong to no program yet."""
    return Program().global_block()


class Desc:
    """A view of one thing; two views of the same thing are equal."""

    def __init__(self, of: Any):
        self.of = of

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.of is self.of

    def __hash__(self) -> int:
        return id(self.of)


class VarDesc(Desc):
    """Of a variable; `VarDesc.VarType` are the kinds of variables and dtypes."""

    VarType = dtypes.VarType
    serialize_to_string = Later("refluid.saving.program_file:bytes_of_var")

    def __init__(self, name: str | Variable):
        super().__init__(name if isinstance(name, Variable) else Variable(_nowhere(), name=name))

    def name(self) -> str:
        return self.of.name

    def set_name(self, name: str) -> None:
        self.of.name = name

    def shape(self) -> list[int]:
        return list(self.of.shape)

    get_shape = shape

    def set_shape(self, shape: Sequence[int]) -> None:
        self.of.shape = [int(size) for size in shape]
        self.of.block.program.touch()

    def dtype(self) -> dtypes.VarType:
        return self.of.dtype

    def set_dtype(self, dtype: Dtype) -> None:
        self.of.dtype = dtype

    def type(self) -> dtypes.VarType:
        return self.of.type

    def set_type(self, type: dtypes.VarType) -> None:
        self.of.type = type

    def lod_level(self) -> int:
        return self.of.lod_level

    def set_lod_level(self, lod_level: int) -> None:
        self.of.lod_level = lod_level

    def persistable(self) -> bool:
        return self.of.persistable

    def set_persistable(self, persistable: bool) -> None:
        self.of.persistable = persistable

    def need_check_feed(self) -> bool:
        return self.of.need_check_feed

    def set_need_check_feed(self, need_check_feed: bool) -> None:
        self.of.need_check_feed = need_check_feed


class OpDesc(Desc):
    """Of an operator."""

    serialize_to_string = Later("refluid.saving.program_file:bytes_of_op")

    def __init__(self, operator: Operator | None = None):
        super().__init__(Operator(_nowhere(), "", {}, {}, {}, None) if operator is None else operator)

    def type(self) -> str:
        return self.of.type

    def set_type(self, type: str) -> None:
        self.of.type = type
        self._touch()

    def block(self) -> BlockDesc:
        return BlockDesc(self.of.block)

    def copy_from(self, other: OpDesc) -> None:
        source = other.of
        self.of.type, self.of.attrs = source.type, dict(source.attrs)
        self.of.inputs = {slot: list(names) for slot, names in source.inputs.items()}
        self.of.outputs = {slot: list(names) for slot, names in source.outputs.items()}
        self._touch()

    # -- slots --------------------------------------------------------------------------------------------------

    def inputs(self) -> dict[str, list[str]]:
        return {slot: list(names) for slot, names in self.of.inputs.items()}

    def outputs(self) -> dict[str, list[str]]:
        return {slot: list(names) for slot, names in self.of.outputs.items()}

    def input(self, name: str) -> list[str]:
        return self.of.input(name)

    def output(self, name: str) -> list[str]:
        return self.of.output(name)

    def input_names(self) -> list[str]:
        return self.of.input_names

    def output_names(self) -> list[str]:
        return self.of.output_names

    def input_arg_names(self) -> list[str]:
        return self.of.input_arg_names

    def output_arg_names(self) -> list[str]:
        return self.of.output_arg_names

    def set_input(self, name: str, names: list[str]) -> None:
        self.of.inputs = {**self.of.inputs, name: list(names)}
        self._touch()

    def set_output(self, name: str, names: list[str]) -> None:
        self.of.outputs = {**self.of.outputs, name: list(names)}
        self._touch()

    def _rename_input(self, old_name: str, new_name: str) -> None:
        self.of._rename_input(old_name, new_name)

    def _rename_output(self, old_name: str, new_name: str) -> None:
        self.of._rename_output(old_name, new_name)

    # -- attributes ---------------------------------------------------------------------------------------------

    def has_attr(self, name: str) -> bool:
        return self.of.has_attr(name)

    def attr(self, name: str) -> Any:
        return self.of.attr(name)

    def attr_names(self) -> list[str]:
        return self.of.attr_names

    def attr_type(self, name: str) -> str:
        return self.of.attr_type(name)

    def _set_attr(self, name: str, value: Any) -> None:
        self.of._set_attr(name, value)

    def remove_attr(self, name: str) -> None:
        self.of.attrs.pop(name, None)
        self._touch()

    def set_block_attr(self, name: str, block: BlockDesc) -> None:
        self.of._set_attr(name, block.of)

    def set_blocks_attr(self, name: str, blocks: list[BlockDesc]) -> None:
        self.of._set_attr(name, [block.of for block in blocks])

    def _block_attr_id(self, name: str) -> int:
        return self.of.attr(name).idx

    def _blocks_attr_ids(self, name: str) -> list[int]:
        return [block.idx for block in self.of.attr(name)]

    def check_attrs(self) -> None:
        """Fill in the attributes that are not given; one that must be is an error."""
        if self.of.definition is not None:
            self.of.attrs = self.of.definition.complete_attrs(self.of.attrs)
            self._touch()

    def infer_shape(self, block: BlockDesc) -> None:
        """Declare the outputs again, from what the inputs are now."""
        if self.of.definition is not None:
            block.of.infer_outputs(self.of, self.of.definition)
            self._touch()

    def _touch(self) -> None:
        self.of.block.program.touch()


class BlockDesc(Desc):
    """Of a block."""

    serialize_to_string = Later("refluid.saving.program_file:bytes_of_block")

    @property
    def id(self) -> int:
        return self.of.idx

    @property
    def parent(self) -> int:
        return self.of.parent_idx

    def get_forward_block_idx(self) -> int:
        return self.of.forward_block_idx

    def _set_forward_block_idx(self, index: int) -> None:
        self.of.forward_block_idx = index

    def op_size(self) -> int:
        return len(self.of.ops)

    def op(self, index: int) -> OpDesc:
        return OpDesc(self.of.ops[index])

    def append_op(self) -> OpDesc:
        return self._insert_op(self.op_size())

    def _prepend_op(self) -> OpDesc:
        return self._insert_op(0)

    def _insert_op(self, index: int) -> OpDesc:
        operator = Operator(self.of, "", {}, {}, {}, None)
        self.of.ops.insert(index, operator)
        self.of.program.touch()
        return OpDesc(operator)

    def _remove_op(self, start: int, end: int) -> None:
        del self.of.ops[start:end]
        self.of.program.touch()

    def all_vars(self) -> list[VarDesc]:
        return [VarDesc(var) for var in self.of.vars.values()]

    def var(self, name: str | bytes) -> VarDesc:
        """The variable of this name, made if there is none."""
        return VarDesc(self.of.create_var(name=_text(name)))

    def has_var(self, name: str | bytes) -> bool:
        return _text(name) in self.of.vars

    def find_var(self, name: str | bytes) -> VarDesc | None:
        found = self.of.vars.get(_text(name))
        return None if found is None else VarDesc(found)

    def has_var_recursive(self, name: str | bytes) -> bool:
        return self.of.find_var(_text(name)) is not None

    def find_var_recursive(self, name: str | bytes) -> VarDesc | None:
        found = self.of.find_var(_text(name))
        return None if found is None else VarDesc(found)

    def _remove_var(self, name: str | bytes) -> None:
        self.of._remove_var(_text(name))

    def _rename_var(self, name: str | bytes, new_name: str | bytes) -> None:
        self.of._rename_var(_text(name), _text(new_name))


class ProgramDesc(Desc):
    """Of a program; alone, a new program, a copy of another desc's, or the one that bytes hold."""

    serialize_to_string = Later("refluid.saving.program_file:bytes_of_program")
    reader = LaterStatic("refluid.saving.program_file:parse_from_string")

    def __init__(self, source: Program | ProgramDesc | bytes | None = None):
        if source is None:
            program = Program()
        elif isinstance(source, ProgramDesc):
            program = source.of.clone()
        elif isinstance(source, bytes):
            program = type(self).reader(source)
        elif isinstance(source, Program):
            program = source
        else:
            raise ArgumentError(f"ProgramDesc: expected bytes or a ProgramDesc, got {type(source).__name__}")
        super().__init__(program)

    def num_blocks(self) -> int:
        return self.of.num_blocks

    def block(self, index: int) -> BlockDesc:
        return BlockDesc(self.of.block(index))

    def append_block(self, parent: BlockDesc) -> BlockDesc:
        made = self.of._create_block(parent.id)
        self.of._rollback()
        return BlockDesc(made)

    def flush(self) -> None:
        """Fluid wrote its changes into the message here; a view has none that are not written."""

    def _version(self) -> int:
        return self.of.file_version

    def _set_version(self, version: int = 0) -> None:
        """The release that a file of the program claims; 0: the one whose files are written here."""
        self.of.file_version = version or FILE_VERSION


FILE_VERSION = 1_008_005


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


ProgramDesc.parse_from_string = ProgramDesc  # type: ignore[attr-defined]
Program.desc = property(ProgramDesc)  # type: ignore[attr-defined]
Block.desc = property(BlockDesc)  # type: ignore[attr-defined]
Operator.desc = property(OpDesc)  # type: ignore[attr-defined]
Variable.desc = property(VarDesc)  # type: ignore[attr-defined]
