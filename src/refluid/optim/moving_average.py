"""ExponentialMovingAverage: an exponentially weighted average of each parameter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import torch

from refluid.core import dtypes, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ModeError
from refluid.core.mode import per_mode
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.layers.control_flow import Switch
from refluid.layers.parameters import create_global_var
from refluid.ops.math.elementwise import elementwise_pow
from refluid.ops.shape.assign import assign, assign_value
from refluid.ops.shape.cast import cast as cast_op
from refluid.optim.average import Averaged, clone
from refluid.optim.build import autoincreased_step_counter
from refluid.params.initializer import Constant


class ExponentialMovingAverage(Averaged):
    """ema = decay * ema + (1 - decay) * param; `apply` corrects the bias towards the zero that it starts from.

    Args:
        decay: decay rate of the average.
        thres_steps: a variable that counts steps: the decay is then min(decay, (1 + steps) / (10 + steps)).
        name: prefix of the names of the averages.
        parameter_list: what is averaged in the imperative mode, where `update()` is called after every step.
    """

    def __init__(
        self,
        decay: float = 0.999,
        thres_steps: BaseVariable | None = None,
        name: str | None = None,
        parameter_list: Iterable[BaseVariable] | None = None,
    ):
        self._decay, self._thres_steps, self._name = decay, thres_steps, name or ""
        self._step_counter_name = "@EMA_STEP_COUNTER@"
        self._choose(parameter_list)
        self._prepare()

    @per_mode
    def _prepare(self) -> None:
        self._decay_var = self._scheduled_decay()
        self._backups = {param.name: self._named_backup(param) for param in self._averaged}
        self._ema_vars = {param.name: self._start(param) for param in self._averaged}
        self.apply_program, self.restore_program = Program(), Program()
        with program_guard(self.apply_program):
            self._append_apply()
        with program_guard(self.restore_program):
            for param in self._averaged:
                self._append_restore(self.restore_program.global_block(), param, self._backups[param.name])

    @_prepare.imperative
    def _prepare_now(self) -> None:
        self._averages = [torch.zeros_like(param._t) for param in self._averaged]
        self._left = 1.0  # the weight of the zeros that the averages started from

    def update(self) -> None:
        """Let the averages follow: appended to the program, or done at once in the imperative mode."""
        self._made_in.rule(ExponentialMovingAverage._follow)(self)

    @per_mode
    def _follow(self) -> None:
        autoincreased_step_counter(self._step_counter_name)
        for param in self._averaged:
            program, ema = param.block.program, self._ema_vars[param.name]
            with program._optimized_guard([param, self._backups[param.name]]), program.name_scope("moving_average"):
                assign(ema * self._decay_var + param * (1 - self._decay_var), outs={"Out": ema})

    # -- imperative ---------------------------------------------------------------------------------------------

    @_follow.imperative
    def _follow_now(self) -> None:
        decay = self._decay_now()
        self._left *= decay
        for average, param in zip(self._averages, self._averaged, strict=True):
            average.lerp_(param._t, 1 - decay)

    def _decay_now(self) -> float:
        if self._thres_steps is None:
            return self._decay
        if isinstance(self._thres_steps, Variable):
            raise ModeError("ExponentialMovingAverage: thres_steps is a variable of a program; use one with a value")
        steps = float(cast(VarBase, self._thres_steps))
        return min(self._decay, (1 + steps) / (10 + steps))

    def _average_now(self, param: VarBase) -> torch.Tensor:
        index = next(i for i, averaged in enumerate(self._averaged) if averaged is param)
        return self._averages[index] / (1 - self._left) if self._left < 1 else self._averages[index]

    # -- static -------------------------------------------------------------------------------------------------

    def _scheduled_decay(self) -> Variable:
        program, steps = programs.default_main_program(), self._thres_steps
        with program._lr_schedule_guard():
            rate = create_global_var([1], self._decay, "float32", persistable=True, name="scheduled_ema_decay_rate")
            if steps is not None:
                if not dtypes.is_floating(steps.dtype):  # else the quotient below would be a whole number
                    steps = cast_op(steps, in_dtype=int(steps.dtype), out_dtype=int(VarType.FP32))
                early = (steps + 1.0) / (steps + 10.0)
                with Switch() as switch:
                    with switch.case(early < self._decay):
                        assign(early, outs={"Out": rate})
                    with switch.default():
                        attrs = {"shape": [1], "dtype": int(VarType.FP32), "fp32_values": [float(self._decay)]}
                        assign_value(outs={"Out": rate}, **attrs)
        return rate

    def _named_backup(self, param: Variable) -> Variable:
        name = unique_name.generate(f"{self._name}{param.name}.ema_tmp")
        return param.block.create_var(name=name, dtype=param.dtype, stop_gradient=True)

    def _start(self, param: Variable) -> Variable:
        """The average of a parameter, zero at first."""
        with programs.default_startup_program().name_scope("moving_average"):
            name = unique_name.generate(f"{self._name}{param.name}_ema")
            return create_global_var(param.shape, 0.0, param.dtype, persistable=True, name=name)

    def _append_apply(self) -> None:
        block = self.apply_program.global_block()
        counter = block.create_var(
            name=self._step_counter_name, shape=[1], dtype="int64", persistable=True, stop_gradient=True
        )
        startup = programs.default_startup_program().global_block()
        Constant(0.0)(clone(startup, counter), startup)
        steps = cast_op(counter, in_dtype=int(counter.dtype), out_dtype=int(VarType.FP32))
        power = elementwise_pow(clone(block, self._decay_var), steps)
        for param in self._averaged:
            there, kept = clone(block, param), clone(block, self._backups[param.name])
            average = clone(block, self._ema_vars[param.name])
            assign(there, outs={"Out": kept})
            kept.shape = there.shape
            with Switch() as switch, switch.case(steps > 0):
                assign(average / (1.0 - power), outs={"Out": average})
            assign(average, outs={"Out": there})
