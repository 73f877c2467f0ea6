"""ProgramStats: which operators write and read the variables of a program, for choosing checkpoints."""

from __future__ import annotations

from collections.abc import Iterable

from refluid.autodiff.recompute import seed_dropouts
from refluid.ir.block import Block
from refluid.ir.operator import Operator


class ProgramStats:
    """Counts operators by their position in `ops`; call `build_stats` first.

    After that `op_deps` has {position: {"in_ops": [...], "out_ops": [...]}} and `var_op_deps`
    {name: {"var_as_input_ops": [...], "var_as_output_ops": [...]}}.

    Args:
        block: the block that holds the operators.
        ops: the operators.
    """

    def __init__(self, block: Block, ops: list[Operator]):
        self.block = block
        self.ops = ops
        self.op_deps: dict[int, dict[str, list[int]]] = {}
        self.var_op_deps: dict[str, dict[str, list[int]]] = {}

    def _of(self, name: str) -> dict[str, list[int]]:
        return self.var_op_deps.setdefault(name, {"var_as_input_ops": [], "var_as_output_ops": []})

    def build_stats(self) -> None:
        for position, op in enumerate(self.ops):
            before = [i for name in op.input_arg_names for i in self._of(name)["var_as_output_ops"]]
            self.op_deps[position] = {"in_ops": before, "out_ops": []}
            for name in op.input_arg_names:
                self._of(name)["var_as_input_ops"].append(position)
            for name in op.output_arg_names:
                self._of(name)["var_as_output_ops"].append(position)
            for earlier in before:
                self.op_deps[earlier]["out_ops"].append(position)

    def get_input_nodes(self) -> list[str]:
        """What comes from outside: read and never written, parameters left out, and what readers give."""
        sources = [
            name
            for name, uses in self.var_op_deps.items()
            if uses["var_as_input_ops"] and not uses["var_as_output_ops"] and not self.block.var(name).persistable
        ]
        return sources + [name for op in self.ops if op.type == "read" for name in op.output_arg_names]

    def get_reserved_vars(self) -> list[str]:
        """Seeds, which must stay as they are when dropouts are computed again."""
        return [name for op in self.ops if op.type == "seed" for name in op.output_arg_names]

    def get_out_of_subgraph_vars(self, begin_op_idx: int, end_op_idx: int) -> list[str]:
        """Variables by which the operators from begin to end hang together with those before and after."""
        outside = []
        for op in self.ops[begin_op_idx:end_op_idx]:
            for name in op.output_arg_names:
                outside += [name for i in self._of(name)["var_as_input_ops"] if i >= end_op_idx]
            for name in op.input_arg_names:
                outside += [name for i in self._of(name)["var_as_output_ops"] if i < begin_op_idx]
        return outside

    def is_subgraph(self, var_group1: Iterable[str], var_group2: Iterable[str]) -> tuple[bool, int, int]:
        """(whether operators lead from the first variables to the second, the first and the last of them)."""
        first, last = len(self.ops), -1
        group1, group2 = list(var_group1), list(var_group2)
        if any(name not in self.var_op_deps for name in (*group1, *group2)):
            return False, first, last
        first = min([first, *(i for name in group1 for i in self.var_op_deps[name]["var_as_input_ops"])])
        last = max([last, *(i for name in group2 for i in self.var_op_deps[name]["var_as_output_ops"])])
        return first < last, first, last

    def sort_checkpoints(self, checkpoints_name: Iterable[str]) -> list[str]:
        """The checkpoints in the order in which they are computed; those that no operator uses left out."""
        known = [name for name in checkpoints_name if name in self.var_op_deps]
        return sorted(known, key=lambda name: max(self.var_op_deps[name]["var_as_output_ops"], default=-1))

    def modify_forward_desc_for_recompute(self) -> None:
        """Give every dropout a seed of its own, so that recomputing it gives the same mask."""
        written = [name for op in self.ops for name in op.output_arg_names]
        if written:
            seed_dropouts(self.block, written)
        self.ops = self.block.ops
