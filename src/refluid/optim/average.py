"""Averages of parameters: what ModelAverage and ExponentialMovingAverage share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from refluid.core import mode, unique_name
from refluid.core.errors import ArgumentError
from refluid.core.mode import per_mode
from refluid.eager.variable import VarBase
from refluid.executor.executor import Executor
from refluid.ir import program as programs
from refluid.ir.block import Block
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.ops.shape.assign import assign


class Averaged:
    """Puts averages in the place of parameters and takes them back.

    In the static mode two programs do so, `apply_program` and `restore_program`. In the imperative mode, which 1.8.5
    did not have this for, `parameter_list` says what is averaged and `update()` is called after every step.
    """

    apply_program: Program
    restore_program: Program

    def _choose(self, parameter_list: Iterable[Any] | None) -> None:
        """Take the parameters that let themselves be averaged."""
        self._made_in = mode.current()
        if parameter_list is None:
            what = type(self).__name__
            self._made_in.demand_program(ArgumentError(f"{what}: parameter_list is needed in the imperative mode"))
        params = (
            programs.default_main_program().global_block().all_parameters()
            if parameter_list is None
            else parameter_list
        )
        self._averaged: list[Any] = [param for param in params if param.do_model_average is not False]
        self._kept: list[torch.Tensor] | None = None

    # -- what programs call -------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def apply(self, executor: Executor | None = None, need_restore: bool = True) -> Iterator[None]:
        """A context manager: the parameters are their averages inside.

        Args:
            executor: the executor that runs `apply_program`; None in the imperative mode.
            need_restore: whether the parameters get their own values back afterwards.
        """
        self._made_in.rule(_put)(self, executor)
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor: Executor | None = None) -> None:
        """Give the parameters their own values back, after `apply(need_restore=False)`.

        Args:
            executor: the executor that runs `restore_program`; None in the imperative mode.
        """
        self._made_in.rule(_take_back)(self, executor)

    def _executor(self, executor: Executor | None, what: str) -> Executor:
        if executor is None:
            raise ArgumentError(f"{type(self).__name__}.{what}: the executor is missing")
        return executor

    def _average_now(self, param: VarBase) -> torch.Tensor:
        """The average of a parameter of the imperative mode; each subclass has its own."""
        raise NotImplementedError

    # -- static -------------------------------------------------------------------------------------------------

    @staticmethod
    def _backup(param: Variable, suffix: str) -> Variable:
        """A variable to keep the parameter in while its average stands in its place."""
        name = unique_name.generate(f"{param.name}.{suffix}")
        return param.block.create_var(name=name, dtype=param.dtype, stop_gradient=True)

    @staticmethod
    def _append_restore(block: Block, param: Variable, backup: Variable) -> None:
        kept = block.create_var(name=backup.name, dtype=backup.dtype, persistable=True)
        # Fluid: copied from a variable of a shape not known, it is not known either
        there = block.create_var(name=param.name, shape=[0], dtype=param.dtype, persistable=True)
        assign(kept, outs={"Out": there})


@per_mode
def _put(averaged: Averaged, executor: Executor | None) -> None:
    averaged._executor(executor, "apply").run(averaged.apply_program)


@_put.imperative
def _put_now(averaged: Averaged, executor: Executor | None) -> None:
    averaged._kept = [param._t.clone() for param in averaged._averaged]
    for param in averaged._averaged:
        param._t.copy_(averaged._average_now(param))


@per_mode
def _take_back(averaged: Averaged, executor: Executor | None) -> None:
    averaged._executor(executor, "restore").run(averaged.restore_program)


@_take_back.imperative
def _take_back_now(averaged: Averaged, executor: Executor | None) -> None:
    if averaged._kept is None:
        raise ArgumentError(f"{type(averaged).__name__}.restore: apply() was not called")
    for param, kept in zip(averaged._averaged, averaged._kept, strict=True):
        param._t.copy_(kept)
    averaged._kept = None


def clone(block: Block, var: Variable) -> Variable:
    """A persistable variable of the same name in another program."""
    return block.create_var(name=var.name, shape=var.shape, dtype=var.dtype, persistable=True)
