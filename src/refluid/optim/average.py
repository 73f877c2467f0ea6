"""Averages of parameters: what ModelAverage and ExponentialMovingAverage share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from refluid.core import unique_name
from refluid.core.errors import ArgumentError
from refluid.eager.base import enabled
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

    def _choose(self, parameter_list: Any) -> None:
        """Take the parameters that let themselves be averaged."""
        self._imperative = enabled()
        if self._imperative and parameter_list is None:
            raise ArgumentError(f"{type(self).__name__}: parameter_list is needed in the imperative mode")
        given = (
            programs.default_main_program().global_block().all_parameters()
            if parameter_list is None
            else parameter_list
        )
        self._averaged: list[Any] = [param for param in given if param.do_model_average is not False]
        self._kept: list[torch.Tensor] | None = None

    # -- what programs call -------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def apply(self, executor: Any = None, need_restore: bool = True) -> Iterator[None]:
        """The parameters are their averages inside; after it they are as before, if need_restore."""
        if self._imperative:
            self._kept = [param._t.clone() for param in self._averaged]
            for param in self._averaged:
                param._t.copy_(self._average_now(param))
        else:
            self._executor(executor, "apply").run(self.apply_program)
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor: Any = None) -> None:
        """Take the averages back, after `apply(need_restore=False)`."""
        if not self._imperative:
            self._executor(executor, "restore").run(self.restore_program)
            return
        if self._kept is None:
            raise ArgumentError(f"{type(self).__name__}.restore: apply() was not called")
        for param, kept in zip(self._averaged, self._kept, strict=True):
            param._t.copy_(kept)
        self._kept = None

    def _executor(self, executor: Any, what: str) -> Any:
        if executor is None:
            raise ArgumentError(f"{type(self).__name__}.{what}: the executor is missing")
        return executor

    def _average_now(self, param: Any) -> torch.Tensor:
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


def clone(block: Block, var: Variable) -> Variable:
    """A persistable variable of the same name in another program."""
    return block.create_var(name=var.name, shape=var.shape, dtype=var.dtype, persistable=True)
