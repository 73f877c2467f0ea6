"""The learning rate of an optimizer: a number, a variable of a program, or a schedule object."""

from __future__ import annotations

import copy
from typing import Any, cast

import numpy as np
import torch

from refluid.core import unique_name
from refluid.core.errors import ArgumentError, DtypeError, ModeError, NotFoundError
from refluid.core.naming import TMP
from refluid.core.types import Dtype
from refluid.eager.base import tape
from refluid.eager.variable import VarBase
from refluid.ir.base_variable import BaseVariable
from refluid.ir.program import Program, default_main_program
from refluid.ir.variable import Parameter, Variable
from refluid.ops.math.scale import scale
from refluid.optim.decay import LearningRateDecay
from refluid.params.create import initialise
from refluid.params.initializer import Constant
from refluid.tensor.scope import global_scope

Number = int | float | np.number


class LearningRate:
    def __init__(self, rate: float | BaseVariable | LearningRateDecay, owner: str = "optimizer"):
        if not isinstance(rate, Number | Variable | VarBase | LearningRateDecay):
            raise DtypeError(
                f"{owner}: learning_rate must be a number, a variable or a LearningRateDecay object, got "
                f"{type(rate).__name__}: {rate!r:.60}"
            )
        self.given = rate
        # The variable that holds it by program, in the imperative mode by the default one; programs put theirs in.
        self.variables: dict[Any, Any] = {}
        if isinstance(rate, Variable):
            self.variables[default_main_program()] = rate

    def __deepcopy__(self, memo: dict) -> LearningRate:
        copied = LearningRate(copy.deepcopy(self.given, memo))
        copied.variables = {program: copy.deepcopy(var, memo) for program, var in self.variables.items()}
        return copied

    @property
    def schedule(self) -> LearningRateDecay | None:
        return self.given if isinstance(self.given, LearningRateDecay) else None

    # -- imperative ---------------------------------------------------------------------------------------------

    def next(self) -> torch.Tensor:
        """The learning rate of this step; the schedule advances one step."""
        program = default_main_program()
        if isinstance(self.given, LearningRateDecay):
            self.variables[program] = self.given()
        elif isinstance(self.given, Variable):
            raise ModeError(
                f"learning_rate is {self.given.name}, a variable of a static program, but the imperative mode is on; "
                "use a number or a LearningRateDecay object"
            )
        elif program not in self.variables:
            rate = self.given
            if not isinstance(rate, VarBase):
                rate = VarBase(torch.tensor([float(rate)], dtype=torch.float32, device=tape().device))
                rate.name, rate.persistable = unique_name.generate("learning_rate"), True
            self.variables[program] = rate
        return self.variables[program]._t

    def set(self, value: float | VarBase) -> None:
        if self.schedule is not None:
            raise ArgumentError("set_lr: the learning rate follows a LearningRateDecay; it cannot be set by hand")
        if not isinstance(value, Number | VarBase):
            raise DtypeError(f"set_lr: expected a number or a variable, got {type(value).__name__}")
        self.given = value if isinstance(value, VarBase) else float(value)
        self.variables.clear()

    def state(self) -> dict[str, Any]:
        """What 1.8.5 saves of a schedule; 'global_step' is left out by those that count epochs."""
        if self.schedule is None:
            return {}
        state: dict[str, Any] = {"LR_Scheduler": self.schedule.state_dict()}
        if self.schedule.counts_steps:
            step = VarBase(torch.tensor([int(self.schedule.step_num)], dtype=torch.int32))
            step.name = "global_step"
            state["global_step"] = step
        return state

    def check(self, values: dict[str, Any]) -> None:
        """Refuse the state of a schedule that cannot be taken over whole."""
        if self.schedule is None:
            return
        if "LR_Scheduler" in values:
            self.schedule._check_state(values["LR_Scheduler"])
        elif "global_step" not in values:
            raise NotFoundError("set_dict: the learning rate follows a schedule, but the state has no 'LR_Scheduler'")
        step = np.asarray(values.get("global_step", 0))
        if step.size != 1 or step.dtype.kind not in "iuf":
            raise DtypeError(f"set_dict: global_step must be one number, got {values['global_step']!r:.60}")

    def restore(self, values: dict[str, Any]) -> None:
        self.check(values)
        if self.schedule is None:
            return
        if "LR_Scheduler" in values:
            self.schedule.set_dict(values["LR_Scheduler"])
        if self.schedule.counts_steps and "global_step" in values:
            self.schedule.step_num = int(np.asarray(values["global_step"]).reshape(-1)[0])

    # -- static -------------------------------------------------------------------------------------------------

    def check_static(self) -> None:
        """Refuse what only the imperative mode can use."""
        if not isinstance(self.given, Number | Variable):
            raise ModeError(
                f"learning_rate is a {type(self.given).__name__}, which is for the imperative mode; "
                "in a program use a number or fluid.layers.*_decay"
            )

    def variable(self, program: Program, dtype: Dtype) -> BaseVariable:
        """The variable of the program that holds it, made on first use."""
        self.check_static()
        known = self.existing(program)
        if known is None:
            known = self.variables[program] = program.global_block().create_var(
                name=unique_name.generate("learning_rate"), shape=[1], dtype=dtype, persistable=True, stop_gradient=True
            )
            initialise(known, Constant(float(cast(float, self.given))))  # check_static has refused what is no number
        return known

    def existing(self, program: Program) -> BaseVariable | None:
        """The variable that holds it, None before it is made."""
        found = self.variables.get(program)
        return self.given if found is None and isinstance(self.given, Variable) else found

    def scaled(self, program: Program, rate: BaseVariable, param: Parameter) -> BaseVariable:
        """The learning rate of one parameter."""
        factor = param.optimize_attr["learning_rate"]
        if isinstance(factor, Variable | VarBase):
            return factor
        if factor == 1.0:
            return rate
        with program._lr_schedule_guard(is_with_opt=True), program.name_scope("scale_with_param_lr"):
            return scale(rate, scale=float(factor), name=TMP)

    # -- either -------------------------------------------------------------------------------------------------

    def value(self) -> float:
        """The learning rate of the present step: in the imperative mode what the last step used."""
        held = self.existing(default_main_program())
        if held is None:
            held = next(iter(self.variables.values()), None)
        if isinstance(held, VarBase):
            return held.numpy()[0]
        if isinstance(self.given, LearningRateDecay):
            return float(self.given.current())
        if isinstance(self.given, Variable):
            return _in_scope(self.given.name)
        if isinstance(self.given, VarBase):
            return self.given.numpy()[0]
        if (
            held is not None
            and (scope_var := global_scope().find_var(held.name)) is not None
            and scope_var.get_tensor()._is_initialized()
        ):
            return _in_scope(held.name)
        return float(self.given)


def _in_scope(name: str) -> float:
    found = global_scope().find_var(name)
    if found is None:
        raise NotFoundError(f"current_step_lr: {name} has no value yet; run the startup program first")
    return float(np.array(found.get_tensor()).reshape(-1)[0])
