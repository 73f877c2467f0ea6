"""The learning rate of an optimizer: a number, a variable of a program, or a schedule object."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from refluid.core import unique_name
from refluid.core.errors import ArgumentError
from refluid.eager.base import tape
from refluid.eager.variable import VarBase
from refluid.ir.arithmetic import TMP
from refluid.ir.roles import OpRole
from refluid.ir.variable import Variable
from refluid.ops.math.scale import scale
from refluid.params.create import initialise
from refluid.params.initializer import Constant
from refluid.tensor.scope import global_scope


class LearningRate:
    def __init__(self, given: Any):
        schedule = hasattr(given, "step") and callable(given)
        if not schedule and not isinstance(given, int | float | np.number | Variable | VarBase):
            raise ArgumentError(
                "learning_rate must be a number, a variable or a LearningRateDecay object, "
                f"got {type(given).__name__}"
            )
        self.given = given
        self.schedule = given if schedule else None
        self._vars: dict[int, Any] = {}  # of the static mode: by program
        self._tensor: VarBase | None = None

    # -- imperative ---------------------------------------------------------------------------------------------

    def imperative(self) -> VarBase:
        """This step's learning rate; a schedule moves on by one step."""
        if isinstance(self.given, VarBase):
            return self.given
        if self.schedule is not None:
            return _tensor(float(self.schedule()))
        if self._tensor is None:
            self._tensor = _tensor(float(self.given))
        return self._tensor

    def scaled(self, lr: Any, param: Any) -> Any:
        """The learning rate of one parameter."""
        factor = param.optimize_attr["learning_rate"]
        if isinstance(factor, Variable | VarBase):
            return factor
        if factor == 1.0:
            return lr
        if isinstance(lr, VarBase):
            return VarBase(lr._t * float(factor))
        return scale(lr, scale=float(factor), name=TMP)

    def value(self) -> float:
        if self.schedule is not None:
            return float(self.schedule.step() if not hasattr(self.schedule, "peek") else self.schedule.peek())
        if isinstance(self.given, VarBase):
            return float(self.given)
        if isinstance(self.given, Variable):
            return float(np.array(global_scope().var(self.given.name).get_tensor())[0])
        return float(self.given)

    def set(self, value: Any) -> None:
        if self.schedule is not None:
            raise ArgumentError("set_lr: the learning rate follows a LearningRateDecay; it cannot be set by hand")
        if isinstance(value, VarBase):
            self.given = value
            return
        if not isinstance(value, int | float | np.number):
            raise ArgumentError(f"set_lr: expected a number or a variable, got {type(value).__name__}")
        self.given = float(value)
        self._tensor = None

    def state(self) -> dict[str, Any]:
        if self.schedule is None:
            return {}
        return {"LR_Scheduler": self.schedule.state_dict()} if hasattr(self.schedule, "state_dict") else {}

    def restore(self, values: dict[str, Any]) -> None:
        if self.schedule is not None and "LR_Scheduler" in values:
            self.schedule.set_dict(values["LR_Scheduler"])

    # -- static -------------------------------------------------------------------------------------------------

    def static(self, program: Any, name: str | None) -> Any:
        """The variable of the program that holds it, made on first use."""
        if isinstance(self.given, Variable):
            return self.given
        if self.schedule is not None:
            raise ArgumentError(
                "a LearningRateDecay object goes with the imperative mode; in a program use fluid.layers.*_decay"
            )
        known = self._vars.get(id(program))
        if known is None:
            with program.role(OpRole.Optimize):
                known = program.global_block().create_var(
                    name=unique_name.generate("learning_rate"), shape=[1], dtype="float32", persistable=True,
                    stop_gradient=True,
                )  # fmt: skip
                initialise(known, Constant(float(self.given)))
            self._vars[id(program)] = known
        return known


def _tensor(value: float) -> VarBase:
    return VarBase(torch.tensor([value], dtype=torch.float32, device=tape.device))

