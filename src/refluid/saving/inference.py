"""Inference models: a pruned program and its parameters in a folder."""

from __future__ import annotations

import os
from typing import Any

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.ir import program as programs
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.saving.files import replacing
from refluid.saving.program_file import from_bytes, to_bytes
from refluid.saving.variables import load_vars, save_vars
from refluid.core.dtypes import VarType


def save_inference_model(
    dirname: str,
    feeded_var_names: Any,
    target_vars: Any,
    executor: Any,
    main_program: Any = None,
    model_filename: str | None = None,
    params_filename: str | None = None,
    export_for_deployment: bool = True,
    program_only: bool = False,
) -> list[str]:
    """Write what computes `target_vars` from `feeded_var_names`, and the parameters it needs, to a folder.

    Args:
        model_filename: the program's file, `__model__` by default.
        params_filename: one file for all parameters; a file each by default.
        program_only: leave the parameters out.
    Returns:
        The names of the targets.
    """
    feeds = [feeded_var_names] if isinstance(feeded_var_names, str) else list(feeded_var_names or [])
    targets = [target_vars] if isinstance(target_vars, Variable) else list(target_vars)
    if not all(isinstance(name, str) for name in feeds):
        raise ArgumentError("save_inference_model: feeded_var_names must be a list of names")
    if not targets or not all(isinstance(var, Variable) for var in targets):
        raise ArgumentError("save_inference_model: target_vars must be a list of variables")
    program = main_program if main_program is not None else programs.default_main_program()
    program = getattr(program, "program", program)
    block = program.global_block()
    for name in feeds:
        if name not in block.vars:
            raise NotFoundError(f"save_inference_model: the program has no variable {name!r} to feed")
    pruned = program.clone(for_test=True)._prune([var.name for var in targets], feeds)
    names = _with_scale_ops(pruned, [var.name for var in targets])
    _with_feed_and_fetch(pruned, feeds, names)
    os.makedirs(dirname, exist_ok=True)
    if not program_only:
        wanted = [v for v in pruned.list_vars() if v.persistable and v.type == VarType.LOD_TENSOR]
        save_vars(executor, dirname, pruned, wanted, filename=params_filename)
    with replacing(os.path.join(dirname, os.path.basename(model_filename or "__model__"))) as file:
        file.write(to_bytes(pruned))
    return names


def load_inference_model(
    dirname: str,
    executor: Any,
    model_filename: str | None = None,
    params_filename: str | None = None,
    pserver_endpoints: Any = None,
) -> list[Any]:
    """[program, feed names, fetch variables] of a folder; parameters go to the global scope."""
    path = os.path.join(dirname, model_filename or "__model__")
    if not os.path.isdir(dirname):
        raise NotFoundError(f"load_inference_model: there is no folder {dirname!r}")
    if not os.path.isfile(path):
        raise NotFoundError(f"load_inference_model: there is no file {path!r}")
    with open(path, "rb") as file:
        program = from_bytes(file.read(), path)
    block = program.global_block()
    feeds = _in_column_order(block.ops, "feed", lambda op: op.output("Out")[0])
    fetches = _in_column_order(block.ops, "fetch", lambda op: op.input("X")[0])
    block.ops = [op for op in block.ops if op.type not in ("feed", "fetch")]
    for name in ("feed", "fetch"):
        block.vars.pop(name, None)
    for name in feeds:
        block.vars[name].is_data = True
        block.vars[name].stop_gradient = True
    program.touch()
    wanted = [v for v in program.list_vars() if v.persistable and v.type == VarType.LOD_TENSOR]
    load_vars(executor, dirname, program, wanted, filename=params_filename)
    return [program, feeds, [block.var(name) for name in fetches]]


def _in_column_order(ops: list[Operator], kind: str, name: Any) -> list[str]:
    found = sorted((op for op in ops if op.type == kind), key=lambda op: op.attrs.get("col", 0))
    return [name(op) for op in found]


def _with_scale_ops(program: Program, targets: list[str]) -> list[str]:
    """Fluid copies every target by a `scale`, so that a fetched name never is a feed or a parameter."""
    block = program.global_block()
    names = []
    for i, target in enumerate(targets):
        var = block.var(target)
        out = block.create_var(name=f"save_infer_model/scale_{i}", shape=var.shape, dtype=var.dtype, lod_level=var.lod_level)
        block.append_op("scale", {"X": target}, {"Out": out}, {"scale": 1.0, "bias": 0.0, "bias_after_scale": True})
        names.append(out.name)
    return names


def _with_feed_and_fetch(program: Program, feeds: list[str], fetches: list[str]) -> None:
    block = program.global_block()
    block.create_var(name="feed", type=VarType.FEED_MINIBATCH, persistable=True)
    block.create_var(name="fetch", type=VarType.FETCH_LIST, persistable=True)
    for i, name in enumerate(feeds):
        block.ops.insert(i, Operator(block, "feed", {"X": ["feed"]}, {"Out": [name]}, {"col": i}, None))
    for i, name in enumerate(fetches):
        block.ops.append(Operator(block, "fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": i}, None))
    program.touch()


def get_program_parameter(program: Program) -> list[Variable]:
    return list(program.all_parameters())


def get_program_persistable_vars(program: Program) -> list[Variable]:
    return [var for var in program.list_vars() if var.persistable]
