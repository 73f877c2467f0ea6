"""RecomputeOptimizer: less memory for more time (Chen et al., 2016)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from refluid.autodiff.backward import append_backward
from refluid.core.errors import ArgumentError, DtypeError, EnforceNotMet, ModeError, NotPossibleError
from refluid.eager.variable import VarBase
from refluid.ir.base_variable import BaseVariable
from refluid.ir.operator import Operator
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.optim.clip import Pairs
from refluid.optim.error_clip import error_clip_callback
from refluid.optim.optimizer import Optimizer, Parameters


class RecomputeOptimizer(Optimizer):
    """Another optimizer whose backward pass computes what lies between checkpoints again instead of keeping it.

    For programs. Call `_set_checkpoints` with some of the variables along the network before `minimize`.

    Args:
        optimizer: the optimizer that makes the updates.
    """

    def __init__(self, optimizer: Optimizer):
        if not isinstance(optimizer, Optimizer):
            raise DtypeError(f"RecomputeOptimizer: optimizer must be an optimizer, got {type(optimizer).__name__}")
        super().__init__(optimizer._learning_rate, name=optimizer._name)
        self._optimizer = optimizer
        self._checkpoints: list[Variable | str] | None = None

    def _set_checkpoints(self, checkpoints: list[Variable | str]) -> None:
        """Say what is kept for the backward pass: variables or their names."""
        if not isinstance(checkpoints, list) or not checkpoints:
            raise ArgumentError(f"_set_checkpoints: checkpoints must be a list of variables, got {checkpoints!r:.60}")
        for var in checkpoints:
            if not isinstance(var, Variable | str):
                raise ArgumentError(f"_set_checkpoints: a checkpoint must be a Variable, got {type(var).__name__}")
        self._checkpoints = checkpoints

    def backward(
        self,
        loss: BaseVariable,
        startup_program: Program | None = None,
        parameter_list: Parameters = None,
        no_grad_set: Iterable[BaseVariable | str] | None = None,
        callbacks: Sequence[Callable[..., None]] | None = None,
    ) -> Pairs:
        if isinstance(loss, VarBase):
            raise ModeError("RecomputeOptimizer: it works on programs; the imperative mode is on")
        if self._checkpoints is None:
            raise EnforceNotMet("RecomputeOptimizer: call _set_checkpoints before minimize or backward")
        self._optimizer._dtype = self._dtype = loss.dtype
        with program_guard(loss.block.program, startup_program):
            return append_backward(
                cast(Variable, loss), parameter_list or self._optimizer._parameter_list, no_grad_set,
                [error_clip_callback, *(callbacks or [])], self._checkpoints,
            )  # fmt: skip

    def apply_gradients(self, params_grads: Pairs) -> list[Operator]:
        return self._optimizer.apply_gradients(params_grads)

    def state_dict(self) -> dict[str, Any]:
        return self._optimizer.state_dict()

    def set_dict(self, state_dict: dict[str, Any] | None) -> None:
        self._optimizer.set_dict(state_dict)

    set_state_dict = set_dict

    def get_opti_var_name_list(self) -> list[str]:
        return self._optimizer.get_opti_var_name_list()

    def current_step_lr(self) -> float:
        return self._optimizer.current_step_lr()

    def clear_gradients(self) -> None:
        self._optimizer.clear_gradients()

    def load(self, stat_dict: dict[str, Any]) -> None:
        raise NotPossibleError("RecomputeOptimizer works on programs; load is for optimizers of the imperative mode")
