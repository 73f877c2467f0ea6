"""Members of programs, blocks and operators that begin with an underscore and that public tools read and call."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.ir.roles import OpRole, has_role
from refluid.ops import registry

if TYPE_CHECKING:
    from refluid.ir.block import Block
    from refluid.ir.operator import Operator
    from refluid.ir.program import Program
    from refluid.ops.registry import OpDef


class ProgramMembers:
    """Mixin of Program."""

    _op_role: int
    random_seed: int
    gradient_calls: int

    # What transpilers note about a training with parameter servers.
    _is_distributed = False
    _is_chief = False
    _parameters_on_pservers: Any = None
    _endpoints: Sequence[str] = ()
    _trainer_id: int | None = None  # ours
    _trainers: int | None = None  # ours: how many there are
    _ps_endpoint: str | None = None
    _distributed_lookup_table: str | None = None
    _remote_tables: Any = None  # of a trainer's startup program: what it does not make -> where its rows are

    def _copy_dist_param_info_from(self, other: Program) -> None:
        """Take over what a transpiler noted on another program."""
        for name in _OF_SERVERS:
            setattr(self, name, getattr(other, name))

    @property
    def _current_role(self) -> int:
        """The role that operators get which are appended now."""
        return OpRole(self._op_role)

    @_current_role.setter
    def _current_role(self, role: int) -> None:
        self._op_role = int(role)

    @property
    def _seed(self) -> int:
        return self.random_seed

    @property
    def _appending_grad_times(self) -> int:
        """How often a backward pass was appended."""
        return self.gradient_calls

    def _get_desc(self) -> Any:
        return self.desc  # type: ignore[attr-defined]  # of Program

    def _sync_with_cpp(self) -> None:
        """Fluid brings its Python objects up to date with changed descs here; descs are views of these objects."""

    def _prune_with_input(self: Any, feeded_var_names: Sequence[str], targets: object) -> Program:
        """What the targets need where these variables are fed."""
        return self._prune(targets, feeded_var_names)

    def _inference_optimize(self: Any, prune_read_op: bool = True) -> Program:
        """A copy in which operators behave as in a test; without those that read data, unless told otherwise."""
        pruned = self.clone()
        for op in pruned.operators():
            if op.has_attr("is_test"):
                op._set_attr("is_test", True)
        if prune_read_op:
            block = pruned.global_block()
            block.ops = [op for op in block.ops if not _reads_data(op.definition)]
            pruned.readers = []
        pruned.touch()
        return pruned

    def _copy_param_info_from(self: Any, other: Program) -> None:
        """Make parameters of the variables that are parameters of another program, with their settings."""
        self.global_block()._copy_param_info_from(_block_of(other, "_copy_param_info_from"))

    def _copy_data_info_from(self: Any, other: Program) -> None:
        """Mark as data what is data in another program."""
        for name, var in _block_of(other, "_copy_data_info_from").vars.items():
            if name in self.global_block().vars:
                mine = self.global_block().vars[name]
                mine.is_data, mine.need_check_feed = var.is_data, var.need_check_feed
                mine.stop_gradient = var.stop_gradient


_OF_SERVERS = (
    "_is_distributed", "_is_chief", "_parameters_on_pservers", "_endpoints", "_trainer_id", "_trainers",
    "_ps_endpoint", "_distributed_lookup_table",
)  # fmt: skip


def _reads_data(op: OpDef | None) -> bool:
    return op is not None and op.by_executor == "read"


def _block_of(program: Program, method: str) -> Block:
    if not isinstance(program, ProgramMembers):
        raise ArgumentError(f"Program.{method}: expected a Program, got {type(program).__name__}")
    return program.global_block()


class BlockMembers:
    """Mixin of Block."""

    forward_block_idx: int
    vars: dict[str, Any]
    ops: list[Operator]

    @property
    def backward_block_idx(self) -> int:
        return self.forward_block_idx

    def _set_forward_block_idx(self, idx: int) -> None:
        self.forward_block_idx = idx

    def _sync_with_cpp(self) -> None:
        """See Program._sync_with_cpp."""

    def _slice_ops(self, start: int, end: int) -> list[Operator]:
        return self.ops[start:end]

    def _copy_param_info_from(self: Any, other: Block) -> None:
        for param in other.all_parameters():
            var = self.vars.get(param.name)
            if var is None:
                raise ArgumentError(f"_copy_param_info_from: {param.name} is not in block {self.idx}")
            copied = copy.copy(param)
            copied.block, copied.op = self, var.op
            copied._shape, copied._dtype, copied.type, copied.lod_level = (
                var._shape,
                var._dtype,
                var.type,
                var.lod_level,
            )
            self.vars[param.name] = copied
        self.program.touch()


class OperatorMembers:
    """Mixin of Operator."""

    attrs: dict[str, Any]
    block: Block

    def _block_attr(self, name: str) -> Block:
        return self.attrs[name]

    def _block_attr_id(self, name: str) -> int:
        return self._block_attr(name).idx

    def _blocks_attr(self, name: str) -> list[Block]:
        return list(self.attrs[name])

    def _blocks_attr_ids(self, name: str) -> list[int]:
        return [block.idx for block in self.attrs[name]]

    def _remove_attr(self, name: str) -> None:
        self.attrs.pop(name, None)
        self.block.program.touch()

    def _is_optimize_op(self) -> bool:
        """Whether it updates parameters."""
        return has_role(self.attrs, OpRole.Optimize)

    def _has_kernel(self, op_type: str) -> bool:
        """Whether operators of a type compute by themselves: those that carry a block or read data do not."""
        found = registry.find(op_type)
        return found is not None and "sub_block" not in found.attrs and not _reads_data(found)
