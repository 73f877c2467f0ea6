"""Inference models: a pruned program and its parameters in a folder.

Note [Columns of feeds]
1.8.5 reads models whose feed operators leave columns out or share one, and runs them by the names of the variables; the
list of names that it gives has empty ones in between. With other columns of fetches than 0, 1, 2 and so on it fails.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, cast

from refluid.core import unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, EnforceNotMet, NotFoundError
from refluid.core.warn import warn_once
from refluid.executor.executor import Executor
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.saving import ops as ops  # registers feed and fetch
from refluid.saving.files import inside, saving, settle
from refluid.saving.program_file import from_bytes, to_bytes
from refluid.saving.variables import AnyProgram, is_persistable, load_vars, of_servers, program_of, write_vars

_MOST_COLUMNS = 10_000  # of feeds; a column is an index, and a damaged one must not ask for memory


def save_inference_model(
    dirname: str,
    feeded_var_names: str | Sequence[str],
    target_vars: Variable | Sequence[Variable],
    executor: Executor | None,
    main_program: AnyProgram = None,
    model_filename: str | None = None,
    params_filename: str | None = None,
    export_for_deployment: bool = True,
    program_only: bool = False,
) -> list[str]:
    """Write the part of a program that computes `target_vars` from the feeds, and its parameters, to a folder.

    Args:
        dirname: the folder to write to, made if it does not exist.
        feeded_var_names: the names of the variables to feed, in the order of the feeds.
        target_vars: the variables to fetch.
        executor: not used, as values are read from the global scope; programs pass theirs.
        main_program: the program to prune, or its CompiledProgram; the default main program if None.
        model_filename: the file of the program, `__model__` if None.
        params_filename: one file for all parameters; a file for each if None.
        export_for_deployment: if False, write the whole program as it is, to `<model_filename>.main_program`.
        program_only: do not write the parameters.

    Returns:
        The names under which the targets are fetched from the saved model.

    Example:
        >>> x = fluid.data("x", [None, 3])
        >>> y = fluid.layers.fc(x, size=2)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> names = fluid.io.save_inference_model("model", ["x"], [y], exe)
        >>> program, feeds, fetches = fluid.io.load_inference_model("model", exe)
        >>> exe.run(program, feed={feeds[0]: np.ones((4, 3), "float32")}, fetch_list=fetches)[0].shape
        (4, 2)
    """
    program = program_of("save_inference_model", main_program)
    feeds = _feed_names(feeded_var_names)
    targets = _targets(target_vars)
    block = program.global_block()
    for name in feeds:
        if name not in block.vars:
            data = ", ".join(var.name for var in block.vars.values() if var.is_data) or "none"
            raise NotFoundError(
                f"save_inference_model: the program has no variable {name!r} to feed; its data are {data}"
            )
    model_name = os.path.basename(model_filename or "__model__")
    if export_for_deployment:
        saved = program.clone(for_test=True)._prune([var.name for var in targets], feeds)
        known = of_servers["infer"](saved, program) if program._is_distributed else {}
        names = _with_scale_ops(saved, [var.name for var in targets])
        prepend_feed_ops(saved, feeds)
        append_fetch_ops(saved, names)
    else:
        saved, model_name, known = program, model_name + ".main_program", {}
        names = [var.name for var in targets]
    if program_only:
        warnings.warn("save_inference_model: program_only is set, so no parameters are saved", stacklevel=2)
    with saving(dirname) as save:
        if not program_only:
            wanted = [var for var in saved.list_vars() if is_persistable(var)]
            filename = params_filename and os.path.basename(params_filename)
            write_vars(save, "save_inference_model", wanted, filename, known)
        with save.open(model_name) as file:
            file.write(to_bytes(saved))
    return names


def load_inference_model(
    dirname: str | None,
    executor: Executor | None,
    model_filename: str | bytes | None = None,
    params_filename: str | bytes | None = None,
    pserver_endpoints: Sequence[str] | None = None,
) -> list[Any]:
    """Read an inference model; its parameters go to the global scope.

    Args:
        dirname: the folder that `save_inference_model` wrote; None if the two files are given as bytes.
        executor: the executor on whose device the parameters are put.
        model_filename: the file of the program, `__model__` if None. Without `dirname`, its bytes.
        params_filename: the file that holds all parameters; a file for each if None. Without `dirname`, its bytes.
        pserver_endpoints: where the servers of the model's tables listen now, for a program that reads rows from them;
            other programs stay as they are.

    Returns:
        [program, names of the feeds, variables to fetch].

    Example:
        >>> x = fluid.data("x", [None, 4])
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = fluid.io.save_inference_model("model", ["x"], [fluid.layers.softmax(x)], exe)
        >>> program, feeds, fetches = fluid.io.load_inference_model("model", exe)
        >>> feeds
        ['x']
        >>> exe.run(program, feed={"x": np.zeros((1, 4), "float32")}, fetch_list=fetches)[0].tolist()
        [[0.25, 0.25, 0.25, 0.25]]
    """
    program = read_model(dirname, model_filename)
    if pserver_endpoints:
        _point_at(program, list(pserver_endpoints))
    columns = _feed_columns(program)
    feeds, fetches = strip_feed_and_fetch(program)
    wanted = [var for var in program.list_vars() if is_persistable(var)]
    if wanted:
        load_vars(executor, dirname, program, wanted, filename=params_filename)
    return [program, columns or feeds, [program.global_block().var(name) for name in fetches]]


def _point_at(program: Program, endpoints: list[str]) -> None:
    """Operators that ask servers ask those."""
    for block in program.blocks:
        for operator in block.ops:
            for attribute in ("epmap", "endpoints"):
                if operator.has_attr(attribute):
                    operator._set_attr(attribute, endpoints)


def read_model(dirname: str | None, model_filename: str | bytes | None = None) -> Program:
    """The program of an inference model, as it is in the file."""
    if dirname is None:
        if not isinstance(model_filename, bytes):
            raise ArgumentError("load_inference_model: without dirname, model_filename must be the program's bytes")
        return from_bytes(model_filename, "the bytes in model_filename")
    if not os.path.isdir(dirname):
        raise NotFoundError(f"load_inference_model: there is no folder {dirname!r}")
    settle(dirname)
    path = inside(dirname, cast(str, model_filename) or "__model__")
    if not os.path.isfile(path):
        raise NotFoundError(f"load_inference_model: there is no file {path!r}")
    with open(path, "rb") as file:
        return from_bytes(file.read(), path)


def strip_feed_and_fetch(program: Program) -> tuple[list[str], list[str]]:
    """Take the feed and fetch operators out; what they named, in the order of their columns."""
    block = program.global_block()
    feeds = _in_column_order(block.ops, "feed", lambda op: op.output("Out"))
    fetches = _in_column_order(block.ops, "fetch", lambda op: op.input("X"))
    block.ops = [op for op in block.ops if op.type not in ("feed", "fetch")]
    for name in [var.name for var in block.vars.values() if var.type in (VarType.FEED_MINIBATCH, VarType.FETCH_LIST)]:
        del block.vars[name]
    for name in feeds:
        block.var(name).is_data = True
        block.var(name).stop_gradient = True
    program.touch()
    return feeds, fetches


def _feed_names(feeded_var_names: str | Sequence[str] | None) -> list[str]:
    names = [feeded_var_names] if isinstance(feeded_var_names, str) else list(feeded_var_names or [])
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(
                f"save_inference_model: feeded_var_names must be a list of names, got "
                f"{type(name).__name__}: {name!r:.60}"
            )
    return names


def _targets(target_vars: Variable | Sequence[Variable] | None) -> list[Variable]:
    targets = [target_vars] if isinstance(target_vars, Variable) else list(target_vars or [])
    wrong = [var for var in targets if not isinstance(var, Variable)]
    if not targets or wrong:
        got = f"{type(wrong[0]).__name__}: {wrong[0]!r:.60}" if wrong else "nothing"
        raise ArgumentError(f"save_inference_model: target_vars must be a list of variables of a program, got {got}")
    return targets


def _in_column_order(ops: list[Operator], kind: str, names_of: Callable[[Operator], list[str]]) -> list[str]:
    """What the feed or fetch operators name, by their columns; Note [Columns of feeds]."""
    chosen = sorted((op for op in ops if op.type == kind), key=lambda op: op.attrs.get("col", 0))
    columns = [op.attrs.get("col", 0) for op in chosen]
    wrong = [column for column in columns if not 0 <= column < _MOST_COLUMNS]
    if wrong or (kind == "fetch" and columns != list(range(len(chosen)))):
        raise EnforceNotMet(
            f"load_inference_model: the {kind} operators of the program have the columns {columns}, but there are "
            f"{len(chosen)} of them, which must have 0 to {len(chosen) - 1}"
        )
    for op in chosen:
        named = names_of(op)
        missing = [name for name in named if name not in op.block.vars]
        if len(named) != 1 or missing:
            told = f"{missing[0]!r}, which is no variable of the program" if missing else f"{len(named)} variables"
            column = op.attrs.get("col", 0)
            raise EnforceNotMet(f"load_inference_model: the {kind} operator of column {column} names {told}")
    return [name for op in chosen for name in names_of(op)]


def _feed_columns(program: Program) -> list[str] | None:
    """The feeds at their columns, where columns are left out or taken twice; None where they are as they should be."""
    feeds = [op for op in program.global_block().ops if op.type == "feed"]
    columns = [op.attrs.get("col", 0) for op in feeds]
    names = _in_column_order(feeds, "feed", lambda op: op.output("Out"))
    if sorted(columns) == list(range(len(feeds))):
        return None
    placed = [""] * (max(columns) + 1)
    for op in feeds:
        placed[op.attrs.get("col", 0)] = op.output("Out")[0]
    warn_once(
        f"load_inference_model: the feeds {', '.join(names)} of the model have the columns {sorted(columns)}, not 0 to "
        f"{len(feeds) - 1}; the list of names has an empty one where there is none, as in Fluid"
    )
    return placed


def _with_scale_ops(program: Program, targets: list[str]) -> list[str]:
    """Fluid copies every target by a `scale`, so that a fetched name never is a feed or a parameter.

    It refuses a bool, which has no scale; here that is an `assign`.
    """
    block = program.global_block()
    names = []
    for i, target in enumerate(targets):
        out = block.create_var(name=unique_name.generate(f"save_infer_model/scale_{i}.tmp"))
        out.lod_level = block.var(target).lod_level
        if block.var(target).dtype == VarType.BOOL:
            block.append_op("assign", {"X": target}, {"Out": out}, {})
        else:
            block.append_op("scale", {"X": target}, {"Out": out}, {"scale": 1.0, "bias": 0.0, "bias_after_scale": True})
        names.append(out.name)
    return names


def prepend_feed_ops(inference_program: Program, feed_target_names: list[str], feed_holder_name: str = "feed") -> None:
    """Begin a program with operators that take these variables from a list of feeds.

    Args:
        inference_program: the program, which is changed.
        feed_target_names: the names of the variables to feed, in the order of the list.
        feed_holder_name: the name of the variable that holds the list.

    Returns:
        None.
    """
    if not feed_target_names:
        return
    block = inference_program.global_block()
    block.create_var(name=feed_holder_name, type=VarType.FEED_MINIBATCH, persistable=True)
    for i, name in enumerate(feed_target_names):
        if name not in block.vars:
            raise NotFoundError(f"prepend_feed_ops: the program has no variable {name!r} to feed")
        block.ops.insert(i, _column(block, "feed", {"X": [feed_holder_name]}, {"Out": [name]}, i))
    inference_program.touch()


def append_fetch_ops(
    inference_program: Program, fetch_target_names: list[str], fetch_holder_name: str = "fetch"
) -> None:
    """End a program with operators that put these variables into a list of fetches.

    Args:
        inference_program: the program, which is changed.
        fetch_target_names: the names of the variables to fetch, in the order of the list.
        fetch_holder_name: the name of the variable that holds the list.

    Returns:
        None.
    """
    block = inference_program.global_block()
    block.create_var(name=fetch_holder_name, type=VarType.FETCH_LIST, persistable=True)
    for i, name in enumerate(fetch_target_names):
        block.ops.append(_column(block, "fetch", {"X": [name]}, {"Out": [fetch_holder_name]}, i))
    inference_program.touch()


def _column(block: Block, kind: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]], col: int) -> Operator:
    op = Operator(block, kind, inputs, outputs, {"col": col}, None)
    block.finish_attrs(op.attrs)
    return op


def get_program_parameter(program: Program) -> list[Variable]:
    """The parameters of a program.

    Args:
        program: the program.

    Returns:
        A list of parameters.
    """
    return [var for var in program.list_vars() if var.is_parameter]


def get_program_persistable_vars(program: Program) -> list[Variable]:
    """The variables that `save_persistables` writes.

    Args:
        program: the program.

    Returns:
        A list of variables.
    """
    return [var for var in program.list_vars() if is_persistable(var)]
