"""contrib.utils.lookup_table_utils: distributed tables in incremental training and inference."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError
from refluid.core.warn import warn_once
from refluid.distributed.persist.inference import look_up_locally
from refluid.distributed.persist.load import load_distributed
from refluid.distributed.persist.save import tables_of
from refluid.distributed.persist.tables import FOLDER, files_of, put_tables, read_rows
from refluid.ir.program import Program, default_main_program
from refluid.saving.inference import append_fetch_ops, prepend_feed_ops, read_model
from refluid.saving.variables import is_persistable, load_vars
from refluid.tensor.scope import global_scope

if TYPE_CHECKING:
    from refluid.executor.executor import Executor
    from refluid.ir.variable import Variable

model_filename = "__model__"
lookup_table_dir = FOLDER
_OF_TRAINING = ("@GRAD", ".trainer_", ".block", "tmp_")  # in names of variables that inference does not need


def convert_dist_to_sparse_program(program: Program) -> Program | None:
    """Let a trainer's program look rows of its distributed table up in a variable of its own; returns the program."""
    _check_program("convert_dist_to_sparse_program", program)
    if not tables_of(program):
        warn_once("convert_dist_to_sparse_program: the program has no distributed table")
        return None
    look_up_locally(program, program)
    return program


def load_persistables_for_increment(
    dirname: str, executor: Executor, program: Program, lookup_table_var: Any, lookup_table_var_path: str
) -> None:
    """Load a server's pieces from `dirname`, and its rows of a distributed table from a file.

    Args:
        program: the server's.
        lookup_table_var: the table or its name.
        lookup_table_var_path: the file that this server has written.
    """
    what = "load_persistables_for_increment"
    _check_folder(what, dirname)
    if not os.path.isfile(lookup_table_var_path):
        raise ArgumentError(f"{what}: there is no file {lookup_table_var_path!r}")
    _check_program(what, program)
    name = getattr(lookup_table_var, "name", lookup_table_var)
    rows = read_rows([lookup_table_var_path], name)
    assert rows is not None
    load_distributed(executor, dirname, program)
    put_tables({name: rows})


def load_persistables_for_inference(
    dirname: str, executor: Executor, program: Program, lookup_table_var_name: str
) -> Program:
    """Load a saved model with the rows of all servers, for inference in one process.

    Args:
        program: as convert_dist_to_sparse_program gives it; the one in `dirname/__model__` if None.
    """
    what = "load_persistables_for_inference"
    _check_folder(what, dirname)
    if program is None:
        program = read_model(dirname, model_filename)
    _check_program(what, program)
    folder = os.path.join(dirname, lookup_table_dir)
    rows = read_rows(files_of(folder, lookup_table_var_name), lookup_table_var_name)
    if rows is None:
        raise ArgumentError(f"{what}: {folder!r} has no rows of {lookup_table_var_name}")

    def wanted(var: Variable) -> bool:
        used = is_persistable(var) and var.name != lookup_table_var_name
        return used and not any(part in var.name for part in _OF_TRAINING)

    load_vars(executor, dirname, program, predicate=wanted)
    global_scope().var(lookup_table_var_name).value = rows
    return program


def get_inference_model(main_program: Program, feeded_var_names: list[str], target_vars: list[Any]) -> Program:
    """What computes the targets, with operators that feed and fetch."""
    program = (main_program or default_main_program()).clone()
    _check_program("get_inference_model", program)
    block = program.global_block()
    block.ops = [op for op in block.ops if op.type not in ("feed", "fetch")]
    program = program._prune(target_vars)._inference_optimize(prune_read_op=True)
    for name in [var.name for var in program.list_vars() if var.type in (VarType.FEED_MINIBATCH, VarType.FETCH_LIST)]:
        program.global_block()._remove_var(name)
    prepend_feed_ops(program, feeded_var_names)
    append_fetch_ops(program, [var.name for var in target_vars])
    return program


def _check_program(what: str, program: object) -> None:
    if not isinstance(program, Program):
        raise ArgumentError(f"{what}: program must be a Program, got {type(program).__name__}")


def _check_folder(what: str, dirname: str) -> None:
    if not os.path.isdir(dirname):
        raise ArgumentError(f"{what}: there is no folder {dirname!r}")
