"""Checks of exported models before they are served: their contents, and whether they load and run."""

from __future__ import annotations

import logging
import math
import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, EnforceNotMet, ShapeError
from refluid.core.places import CPUPlace
from refluid.core.warn import warn_once
from refluid.data.feeder import DataFeeder
from refluid.distributed.fleet.program_files import load_program, program_type_trans
from refluid.executor.executor import Executor
from refluid.export.debugger import draw_block_graphviz
from refluid.ir.block import Block
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.saving.inference import load_inference_model
from refluid.saving.variables import is_persistable
from refluid.tensor.create import create_lod_tensor
from refluid.tensor.scope import Scope, global_scope, scope_guard

if TYPE_CHECKING:
    from refluid.tensor.lod_tensor import LoDTensor

logger = logging.getLogger("refluid")
persistable_vars_out_fn, all_vars_out_fn, ops_out_fn = "vars_persistable.log", "vars_all.log", "ops.log"
feed_fetch_type_list = [VarType.FEED_MINIBATCH, VarType.FETCH_LIST]
not_expected_op_types = ["lookup_table"]  # look-ups in a trainer's table do not belong in a pruned program


def check_pruned_program_vars(train_prog: Program, pruned_prog: Program) -> bool:
    """Whether parameters of a pruned program have the shapes and dtypes of the program it came from.

    One that the other does not have is logged and counts as no difference, as in Fluid.
    """
    same = True
    for var in pruned_prog.list_vars():
        if not is_persistable(var):
            continue
        if not train_prog.global_block().has_var(var.name):
            logger.error("the pruned program has %s, which the program that was trained has not", var.name)
            continue
        other = train_prog.global_block().var(var.name)
        if tuple(var.shape) != tuple(other.shape) or var.dtype != other.dtype:
            about = (var.name, var.shape, var.dtype, other.shape, other.dtype)
            logger.error("%s is %s %s in the pruned program, but %s %s in the program that was trained", *about)
            same = False
    return same


def check_not_expected_ops(prog: Program) -> None:
    """Warn of operators that pruning should have removed."""
    found = {op.type for op in prog.global_block().ops}
    for kind in not_expected_op_types:
        if kind in found:
            logger.warning("the program still has %s; was it pruned for inference?", kind)


def graphviz(block: Block, output_dir: str = "", filename: str = "debug") -> None:
    """Draw a block: a file for graphviz, and a PDF beside it where graphviz is installed."""
    path = os.path.join(output_dir, filename)
    draw_block_graphviz(block, path=f"{path}.dot")
    if shutil.which("dot") is None:
        warn_once(f"graphviz: the command dot is not installed, so there is {path}.dot and no PDF")
        return
    subprocess.run(["dot", "-Tpdf", f"{path}.dot", "-o", f"{path}.pdf"], capture_output=True, check=False)


def parse_program(program: Program, output_dir: str) -> None:
    """Write a line for every persistable variable, every variable and every operator, in three files."""
    everything = list(program.list_vars())
    kept = [{**_about(var), "type": str(var.type)} for var in everything if is_persistable(var)]
    all_vars = [
        {"name": var.name, "type": str(var.type)} if var.type in feed_fetch_type_list else _about(var)
        for var in everything
    ]
    ops = [
        {"type": op.type, "input_arg_names": str(op.input_arg_names), "output_arg_names": str(op.output_arg_names)}
        for op in program.global_block().ops
    ]
    listed = (
        (persistable_vars_out_fn, "persistable vars", kept),
        (all_vars_out_fn, "all vars", all_vars),
        (ops_out_fn, "ops", ops),
    )
    for name, title, lines in listed:
        with open(os.path.join(output_dir, name), "w") as file:
            file.write("\n".join([f"{title}:", *map(str, lines), ""]))


def _about(var: Variable) -> dict[str, Any]:
    return {"name": var.name, "shape": str(var.shape), "lod_level": int(var.lod_level), "dtype": str(var.dtype)}


def reader(batch_size: int, fn: str, dim: Sequence[int]) -> list[np.ndarray]:
    """The batches in a file of numbers: each line has some, one after the other."""
    shape = [batch_size, *(dim if isinstance(dim, list | tuple) else [dim])]
    size, batches = math.prod(shape), []
    with open(fn) as lines:
        for line in lines:
            numbers = np.array(line.split(), "float64")
            whole = len(numbers) // size
            batches += list(numbers[: whole * size].reshape([whole, *shape]))
    return batches


def feed_gen(batch_size: int, feeded_vars_dims: list[Any], feeded_vars_filelist: list[str]) -> list[list[np.ndarray]]:
    """The batches of every variable that is fed, from a file each."""
    return [
        reader(batch_size, fn, dim)
        for fn, dim in zip(feeded_vars_filelist, feeded_vars_dims[: len(feeded_vars_filelist)])
    ]


def check_saved_vars_try_dump(
    dump_dir: str, dump_prog_fn: str, is_text_dump_program: bool, feed_config: object, fetch_config: object,
    batch_size: int = 1, save_filename: str | None = None,
) -> list[Any]:  # fmt: skip
    """Load an exported model, compare its parameters with its program, and run it once.

    Args:
        feed_config: has feeded_vars_names, feeded_vars_dims, feeded_vars_types and feeded_vars_filelist; without files,
            random numbers are fed.
        fetch_config: has fetch_vars_names; None: what the model fetches.
    Returns:
        What was fetched.
    """
    program = load_program(os.path.join(dump_dir, dump_prog_fn), is_text_dump_program)
    check_not_expected_ops(program)
    saved = [var for var in program.list_vars() if is_persistable(var)]
    return try_load_model_vars(
        dump_dir, dump_prog_fn, is_text_dump_program, batch_size, feed_config, fetch_config, save_filename, saved
    )


def try_load_model_vars(
    dump_dir: str,
    dump_prog_fn: str,
    is_text_dump_program: bool,
    batch_size: int,
    feed_config: object,
    fetch_config: Any,
    save_filename: str | None,
    saved_params: list[Variable],
) -> list[Any]:
    """As `check_saved_vars_try_dump`, for parameters that are listed."""
    exe = Executor(CPUPlace())
    with scope_guard(Scope()):
        if is_text_dump_program:
            dump_prog_fn = program_type_trans(dump_dir, dump_prog_fn, True)
        program, feeds, fetches = load_inference_model(dump_dir, exe, dump_prog_fn, save_filename)
        for var in saved_params:
            _check_loaded(var)
        feed = _fed(program, batch_size, feed_config)
        if list(feed) != feeds:
            logger.warning("the model is fed %s, but the check feeds %s", feeds, list(feed))
            _remove_ops(program, "feed")
        names = [var.name for var in fetches]
        if fetch_config.fetch_vars_names is not None and fetch_config.fetch_vars_names != names:
            logger.warning("the model fetches %s, but the check fetches %s", names, fetch_config.fetch_vars_names)
            _remove_ops(program, "fetch")
            fetches = [program.global_block().var(name) for name in fetch_config.fetch_vars_names]
        plain = all(var.lod_level == 0 for var in fetches)
        results = exe.run(program, feed=feed, fetch_list=fetches, return_numpy=plain)
    for var, value in zip(fetches, results, strict=True):
        logger.info("%s: %s", var.name, value)
    return results


def _remove_ops(program: Program, kind: str) -> None:
    block = program.global_block()
    for at in reversed([at for at, op in enumerate(block.ops) if op.type == kind]):
        block._remove_op(at)


def _check_loaded(var: Variable) -> None:
    loaded = global_scope().find_var(var.name)
    if loaded is None:
        raise EnforceNotMet(f"try_load_model_vars: {var.name} was not loaded")
    shape = loaded.get_tensor().shape()
    if list(shape) != list(var.shape):
        raise ShapeError(
            f"try_load_model_vars: {var.name} is {list(var.shape)} in the program, but {shape} in its file"
        )


def _fed(program: Program, batch_size: int, config: Any) -> dict[str, Any]:
    """What is fed, by name, from files or at random."""
    dims = [tuple(dim) if isinstance(dim, list | tuple) else (dim,) for dim in config.feeded_vars_dims]
    if not len(config.feeded_vars_names) == len(dims) == len(config.feeded_vars_types):
        raise ArgumentError("try_load_model_vars: feed_config must have as many dims and types as names")
    variables = [program.global_block().var(name) for name in config.feeded_vars_names]
    for var, dim in zip(variables, dims, strict=True):
        if dim != tuple(var.shape[1:]):
            raise ShapeError(
                f"try_load_model_vars: {var.name} has examples of {list(var.shape[1:])}, fed are {list(dim)}"
            )
    if config.feeded_vars_filelist:
        batches = feed_gen(batch_size, dims, config.feeded_vars_filelist)
        return DataFeeder(variables, CPUPlace()).feed([batches])
    return {
        var.name: _random(var, [batch_size, *dim], kind)
        for var, dim, kind in zip(variables, dims, config.feeded_vars_types, strict=True)
    }


def _random(var: Variable, shape: list[int], kind: str) -> np.ndarray | LoDTensor:
    numbers = np.random.random(shape).astype(kind)
    if var.lod_level == 0:
        return numbers
    if var.lod_level == 1:
        return create_lod_tensor(numbers, [[1] * shape[0]], CPUPlace())
    raise ArgumentError(f"try_load_model_vars: {var.name} has {var.lod_level} levels of LoD; feed it from a file")
