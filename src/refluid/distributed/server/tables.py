"""The distributed tables of a server, by the names of their variables."""

from __future__ import annotations

from refluid.core.dtypes import TORCH, VarType
from refluid.distributed.server.row_init import RowInit
from refluid.distributed.server.row_updates import row_states, updates_rows
from refluid.distributed.server.table import PARAM, Table
from refluid.distributed.server.table_rows import TableRows
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.tensor.scope import Scope, ScopeVar


class Tables(dict[str, Table]):
    """Made of what the startup program, or a file, has left in the scope; variables then hold columns of their table.

    The accumulators of an optimizer are variables of their own in a program. Here they are columns beside the rows
    that they belong to, so that all grow together.
    """

    def __init__(self, program: Program, scope: Scope):
        super().__init__()
        self._program, self._scope = program, scope
        self.gradients: set[str] = set()  # of tables: their rows may be of any id
        for block in program.blocks:
            for op in block.ops:
                if updates_rows(op.type) and self._is_table(op.input("Param")[0]):
                    self._take_update(op)
                    self.gradients.update(_summed_to(op.input("Grad")[0], block))
                elif op.type == "lookup_sparse_table" and self._is_table(op.input("W")[0]):
                    self._of(op.input("W")[0]).pad(op.attrs.get("padding_idx", -1))

    def _is_table(self, name: str) -> bool:
        var = self._program.global_block().find_var(name)
        return var is not None and var.persistable and var.type == VarType.SELECTED_ROWS

    def _take_update(self, op: Operator) -> None:
        table = self._of(op.input("Param")[0])
        grad = self._program.global_block().find_var(op.input("Grad")[0])
        if grad is not None and len(grad.shape):
            table.dict_size = grad.shape[0]  # of all servers together
        for slot in row_states(op.type):
            if op.input(slot):
                self._take_state(table, slot, self._var(op.input(slot)[0]))

    def _of(self, name: str) -> Table:
        if name not in self:
            self[name] = self._made(name)
        return self[name]

    def _made(self, name: str) -> Table:
        var = self._var(name)
        if isinstance(var.value, TableRows):
            return var.value.table
        declared = self._program.global_block()._var_recursive(name)
        height, *shape = declared.shape
        table = Table(name, tuple(shape), RowInit(), dtype=TORCH[declared.dtype], dict_size=height)
        self._fill(table, PARAM, var)
        return table

    def _take_state(self, table: Table, slot: str, var: ScopeVar) -> None:
        if isinstance(var.value, TableRows):
            if var.value.table is table:
                return
            table.add_column(slot, var.value.table.init.a)
        self._fill(table, slot, var)

    def _fill(self, table: Table, column: str, var: ScopeVar) -> None:
        """Move rows that the variable has already, as after loading, to the table."""
        rows, var.value = var.value, TableRows(table, column)
        if rows is not None and rows.index.numel():
            table.set_rows(rows.index, rows.value, column)

    def _var(self, name: str) -> ScopeVar:
        return self._scope.find_var(name) or self._scope.var(name)


def _summed_to(grad: str, block: Block) -> set[str]:
    """A gradient and the parts that the block sums."""
    sums = (op for op in block.ops if op.type == "sum" and op.output("Out") == [grad])
    return {grad, *(name for op in sums for name in op.input("X"))}
