"""ModelAverage: the mean of each parameter over a window of steps."""

from __future__ import annotations

import functools

import torch

from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.core.mode import per_mode
from refluid.eager.base import no_grad
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.ops.math.elementwise import elementwise_div
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.optim.average_accumulates import average_accumulates
from refluid.ops.shape.assign import assign
from refluid.ops.shape.cast import cast
from refluid.optim.average import Averaged, clone
from refluid.optim.optimizer import Optimizer, Parameters
from refluid.optim.regularizer import WeightDecayRegularizer
from refluid.optim.update import Update

_SUMS = ("sum_1", "sum_2", "sum_3")
_COUNTS = ("num_accumulates", "old_num_accumulates", "num_updates")


class ModelAverage(Averaged, Optimizer):
    """Averages parameters over a window of steps; inside `apply` the parameters are their averages.

    Args:
        average_window_rate: the length of the window as a fraction of all steps so far.
        min_average_window: the least length of the window.
        max_average_window: the greatest length of the window.
        regularization: taken as all optimizers take it; nothing is regularized here.
        parameter_list: what is averaged in the imperative mode, where `update()` is called after every step.
    """

    type = "model_average"

    def __init__(
        self,
        average_window_rate: float,
        min_average_window: int = 10000,
        max_average_window: int = 10000,
        regularization: WeightDecayRegularizer | None = None,
        name: str | None = None,
        parameter_list: Parameters = None,
    ):
        Optimizer.__init__(self, 0.0, None, regularization, None, name)
        self.average_window, self.min_average_window = average_window_rate, min_average_window
        self.max_average_window = max_average_window
        self._choose(parameter_list)
        self._prepare()

    @per_mode
    def _prepare(self) -> None:
        backups = [(param, self._backup(param, "tmp")) for param in self._averaged]
        startup = programs.default_startup_program()
        for param, backup in backups:
            program = param.block.program
            with program._optimized_guard([param, backup]), program.name_scope("move_average"):
                with startup.name_scope("move_average"):
                    update = self._accumulate(param)
                param.block.append_op(update.op.type, update.inputs, update.outputs(), update.attrs)
        self.apply_program, self.restore_program = Program(), Program()
        with program_guard(self.apply_program):
            for param, backup in backups:
                self._append_apply(param, backup)
        with program_guard(self.restore_program):
            for param, backup in backups:
                self._append_restore(self.restore_program.global_block(), param, backup)

    @_prepare.imperative
    def _prepare_now(self) -> None:
        for param in self._averaged:
            self._accumulate(param)

    def _accumulate(self, param: BaseVariable) -> Update:
        """The update of the sums of one parameter."""
        inputs = {"param": param}
        for name in _SUMS:
            inputs[f"in_{name}"] = self._add_accumulator(name, param)
        for name in _COUNTS:
            inputs[f"in_{name}"] = self._add_accumulator(name, param, dtype="int64", shape=[1])
        attrs = {
            "average_window": float(self.average_window),
            "min_average_window": int(self.min_average_window),
            "max_average_window": int(self.max_average_window),
        }
        return Update(average_accumulates, inputs, attrs)

    def update(self) -> None:
        """Imperative: add the parameters up as they are now; programs do so in every run."""
        with no_grad():
            for param in self._averaged:
                update = self._accumulate(param)
                tensors = [update.inputs[slot.name]._t for slot in update.op.inputs]
                update.op.kernel(*tensors, **update.op.kernel_attrs(update.attrs))

    def _average_now(self, param: VarBase) -> torch.Tensor:
        total = functools.reduce(torch.add, [self._get_accumulator(name, param)._t for name in _SUMS])
        count = functools.reduce(torch.add, [self._get_accumulator(name, param)._t for name in _COUNTS[:2]])
        return total / count

    def _append_apply(self, param: Variable, backup: Variable) -> None:
        block = self.apply_program.global_block()
        there, kept = clone(block, param), clone(block, backup)
        sums = [clone(block, self._get_accumulator(name, param)) for name in _SUMS]
        counts = [clone(block, self._get_accumulator(name, param)) for name in _COUNTS]
        assign(there, outs={"Out": kept})
        kept.shape = there.shape
        count, total = sum_op(counts[:2]), sum_op(sums)
        kind = VarType.FP32 if self._dtype is None else dtypes.var_type(self._dtype)
        count = cast(count, in_dtype=int(count.dtype), out_dtype=int(kind))
        total = cast(total, in_dtype=int(total.dtype), out_dtype=int(kind))
        elementwise_div(total, count, outs={"Out": there})
