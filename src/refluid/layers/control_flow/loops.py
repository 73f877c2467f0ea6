"""While and while_loop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from refluid.core import mode
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, ModeError, ShapeError
from refluid.core.mode import per_mode
from refluid.eager.variable import VarBase
from refluid.executor.blocks.definitions import while_loop as while_operator
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ir.variable import Variable
from refluid.layers.control_flow.block import crossing
from refluid.layers.control_flow.branches import check_condition
from refluid.layers.control_flow.nest import Structure, flatten, outline, pack
from refluid.layers.tensor import assign


class While:
    """A loop over a block of a program: it runs as long as a condition holds, which the block itself updates.

    Args:
        cond: a bool variable of one element.
        is_test: keep nothing for gradients.

    Example:
        >>> i = fluid.layers.fill_constant([1], "int64", 0)
        >>> n = fluid.layers.fill_constant([1], "int64", 10)
        >>> condition = fluid.layers.less_than(i, n)
        >>> loop = fluid.layers.While(condition)
        >>> with loop.block():
        ...     i = fluid.layers.increment(i)
        ...     condition = fluid.layers.less_than(i, n, cond=condition)
        >>> fluid.Executor(fluid.CPUPlace()).run(fetch_list=[i])[0].tolist()
        [10]
    """

    def __init__(self, cond: BaseVariable, is_test: bool = False, name: str | None = None):
        mode.current().demand_program(
            ModeError("While: it builds a block of a program; in the imperative mode write while")
        )
        check_condition("While", "cond", cond)
        self._condition = cond
        self._is_test = is_test

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """The operators built inside are the body of the loop."""
        program = programs.default_main_program()
        outer = program.current_block()
        inner = program._create_block()
        try:
            yield
        finally:
            program._rollback()
        self._finish(inner, outer)

    def _finish(self, inner: Block, outer: Block) -> None:
        reads, writes = crossing(inner, outer)
        if self._condition.name not in writes:
            raise ArgumentError(
                f"While: the block never writes the condition {self._condition.name}, so the loop would not end; "
                "compute it anew inside, for instance with fluid.layers.less_than(..., cond=condition)"
            )
        outer.append_op(
            while_operator.type,
            inputs={"X": [name for name in reads if name != self._condition.name], "Condition": self._condition},
            outputs={"Out": writes, "StepScopes": outer.create_var(type=VarType.STEP_SCOPES)},
            attrs={"sub_block": inner, "is_test": self._is_test},
        )


def while_loop(
    cond: Callable[..., BaseVariable],
    body: Callable[..., Structure],
    loop_vars: Sequence[Structure],
    is_test: bool = False,
    name: str | None = None,
) -> Structure:
    """Call `body` on the loop variables, and again on its results, as long as `cond` of them holds.

    Args:
        cond: takes the loop variables and returns a bool variable of one element.
        body: takes the loop variables and returns as many in the same structure.
        loop_vars: a list or tuple of variables, or of structures of variables.
        is_test: keep nothing for gradients.

    Returns:
        The loop variables after the last iteration.
    """
    for what, function in (("cond", cond), ("body", body)):
        if not callable(function):
            raise ArgumentError(f"while_loop: {what} must be a function, got {type(function).__name__}")
    if not isinstance(loop_vars, list | tuple) or not loop_vars:
        raise ArgumentError(f"while_loop: loop_vars must be a list or tuple that is not empty, got {loop_vars!r:.60}")
    go_on = cond(*loop_vars)
    check_condition("while_loop", "what cond gives", go_on)
    return _loop(go_on, cond, body, loop_vars, is_test)


@per_mode
def _loop(
    go_on: BaseVariable, cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Structure, is_test: bool
) -> Structure:
    loop = While(go_on, is_test)
    with loop.block():
        results = _checked(body(*loop_vars), loop_vars)
        again = cond(*results)
        for new, old in zip(flatten(results), flatten(loop_vars), strict=True):
            _check_same(new, old)
            if new is not old:
                assign(new, old)
        assign(again, go_on)
    return loop_vars


@_loop.imperative
def _loop_now(
    go_on: VarBase, cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Structure, is_test: bool
) -> Structure:
    while bool(go_on.numpy().item()):
        loop_vars = _checked(body(*loop_vars), loop_vars)
        go_on = cond(*loop_vars)
    return loop_vars


def _checked(results: Structure, loop_vars: Structure) -> Structure:
    """The results of the body in the structure of the loop variables."""
    if not isinstance(results, list | tuple):
        results = [results]
    if len(results) != len(loop_vars):
        raise ArgumentError(f"while_loop: body must give {len(loop_vars)} variables, got {len(results)}")
    results = list(results) if isinstance(loop_vars, list) else tuple(results)
    if outline(list(results)) != outline(list(loop_vars)):
        raise ArgumentError(
            f"while_loop: body must give the structure of loop_vars, {outline(list(loop_vars))}, "
            f"got {outline(list(results))}"
        )
    return pack(loop_vars, flatten(results))


def _check_same(new: object, old: object) -> None:
    if not isinstance(new, Variable) or not isinstance(old, Variable):
        wrong = old if not isinstance(old, Variable) else new
        raise ArgumentError(f"while_loop: loop variables must be Variables, got {type(wrong).__name__}: {wrong!r:.40}")
    fits = len(new.shape) == len(old.shape) and all(
        a == b or -1 in (a, b) for a, b in zip(new.shape, old.shape, strict=True)
    )
    if new.dtype != old.dtype:
        raise ArgumentError(
            f"while_loop: body gives {new.describe()} for the loop variable {old.describe()}: the dtype must stay"
        )
    if not fits and old.shape:  # a loop variable may change its size; what it is declared as is then not known
        if len(new.shape) != len(old.shape):
            raise ShapeError(
                f"while_loop: body gives {new.describe()} for the loop variable {old.describe()}: the rank must stay"
            )
        old.shape = tuple(a if a == b else -1 for a, b in zip(old.shape, new.shape, strict=True))
