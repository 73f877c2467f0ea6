"""Rank tables: the sequences of a batch by length, and their steps as arrays; DynamicRNN is built on them."""

from __future__ import annotations

from refluid.core import mode, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, ModeError
from refluid.core.naming import LayerName
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.variable import Variable
from refluid.ops.array import rank_table as ops


def lod_rank_table(x: BaseVariable, level: int = 0) -> Variable:
    """The sequences of one LoD level, sorted by length, longest first.

    Args:
        x: a LoDTensor of any dtype and shape.
        level: the LoD level.

    Returns:
        A variable of type LOD_RANK_TABLE.
    """
    _check("lod_rank_table", "x", x)
    table = _declare("lod_rank_table", VarType.LOD_RANK_TABLE)
    ops.lod_rank_table(x, level=level, outs={"Out": table})
    return table


def max_sequence_len(rank_table: BaseVariable) -> Variable:
    """The length of the longest sequence of a rank table.

    Args:
        rank_table: the result of lod_rank_table, a variable of type LOD_RANK_TABLE.

    Returns:
        An int64 variable [1].
    """
    _check_table("max_sequence_len", rank_table)
    return ops.max_sequence_len(rank_table, name=LayerName("max_seqence_len"))  # as 1.8.5 spells it


def lod_tensor_to_array(x: BaseVariable, table: BaseVariable) -> Variable:
    """The steps of sequences as an array: element t holds step t of all sequences that have it, longest first.

    Args:
        x: a LoDTensor of any dtype and shape.
        table: its rank table, a variable of type LOD_RANK_TABLE.

    Returns:
        A variable of type LOD_TENSOR_ARRAY.
    """
    _check("lod_tensor_to_array", "x", x)
    _check_table("lod_tensor_to_array", table)
    array = _declare("lod_tensor_to_array", VarType.LOD_TENSOR_ARRAY, dtype=x.dtype)
    ops.lod_tensor_to_array(x, table, outs={"Out": array})
    return array


def array_to_lod_tensor(x: BaseVariable, table: BaseVariable) -> Variable:
    """The sequences whose steps an array holds; the inverse of lod_tensor_to_array.

    Args:
        x: an array of steps.
        table: the rank table of the sequences, a variable of type LOD_RANK_TABLE.

    Returns:
        A LoDTensor with one more LoD level than the elements of the array.
    """
    _check_table("array_to_lod_tensor", table)
    out = ops.array_to_lod_tensor(x, table)
    out.lod_level = x.lod_level + 1
    return out


def shrink_memory(x: BaseVariable, i: BaseVariable, table: BaseVariable) -> Variable:
    """The first rows (or sequences) of x: as many as sequences of a rank table have step i.

    Args:
        x: a variable of any dtype [rows, ...] with a row (or sequence) for each sequence, in the order of the table.
        i: the step, an int64 variable [1].
        table: the rank table, a variable of type LOD_RANK_TABLE.

    Returns:
        A variable with fewer rows.
    """
    _check_table("shrink_memory", table)
    return ops.shrink_rnn_memory(x, table, i, name=LayerName("shrink_memory"))


def reorder_lod_tensor_by_rank(x: BaseVariable, rank_table: BaseVariable) -> Variable:
    """The rows (or sequences) of x in the order of a rank table.

    Args:
        x: a variable of any dtype with as many rows, or sequences, as the table has: [rows, ...].
        rank_table: the result of lod_rank_table, a variable of type LOD_RANK_TABLE.

    Returns:
        A variable of the shape and dtype of x.
    """
    _check("reorder_lod_tensor_by_rank", "x", x)
    _check_table("reorder_lod_tensor_by_rank", rank_table)
    return ops.reorder_lod_tensor_by_rank(x, rank_table)


def _declare(prefix: str, kind: VarType, **options: object) -> Variable:
    return programs.default_main_program().current_block().create_var(
        name=unique_name.generate(prefix), type=kind, **options
    )  # fmt: skip


def _check(function: str, argument: str, value: object) -> Variable:
    mode.current().demand_program(
        ModeError(f"{function}: rank tables are part of programs; there are none in the imperative mode")
    )
    if not isinstance(value, Variable):
        raise ArgumentError(f"{function}: {argument} must be a Variable, got {type(value).__name__}")
    return value


def _check_table(function: str, table: object) -> None:
    table = _check(function, "the rank table", table)
    if table.type != VarType.LOD_RANK_TABLE:
        raise ArgumentError(f"{function}: the rank table must be one that lod_rank_table gave, got {table.describe()}")
