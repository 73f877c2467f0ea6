"""Lookahead: slow weights that follow the fast ones of another optimizer every k steps (Zhang et al., 2019)."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.mode import per_mode
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.program import Program, program_guard
from refluid.layers.control_flow import Switch
from refluid.layers.creation import fill_constant
from refluid.layers.parameters import create_global_var
from refluid.ops.math.elementwise import elementwise_add, elementwise_mod, elementwise_mul, elementwise_sub
from refluid.ops.math.scale import increment
from refluid.ops.shape.assign import assign
from refluid.optim.clip import Pairs
from refluid.optim.optimizer import Optimizer


class LookaheadOptimizer:
    """Every k steps of the inner optimizer: slow = alpha * fast + (1 - alpha) * slow, and fast starts from there.

    Args:
        inner_optimizer: the optimizer of the fast weights.
        alpha: the step of the slow weights towards the fast ones, from 0 to 1.
        k: the number of fast steps per slow step.
    """

    def __init__(self, inner_optimizer: Optimizer, alpha: float = 0.5, k: int = 5):
        if not isinstance(inner_optimizer, Optimizer):
            raise DtypeError(
                f"LookaheadOptimizer: inner_optimizer must be an optimizer, got {type(inner_optimizer).__name__}"
            )
        if not 0.0 <= alpha <= 1.0:
            raise ArgumentError(f"LookaheadOptimizer: alpha must be between 0 and 1, got {alpha}")
        if not isinstance(k, int) or k <= 0:
            raise ArgumentError(f"LookaheadOptimizer: k must be a positive int, got {k!r}")
        self.inner_optimizer, self.alpha, self.k = inner_optimizer, alpha, k
        self.type = "lookahead"
        self._slow: dict[int, tuple[Any, torch.Tensor]] = {}  # of the imperative mode: by the id of the parameter
        self._steps = 0

    def minimize(self, loss: BaseVariable, startup_program: Program | None = None) -> tuple[Any, Pairs]:
        """One step of the inner optimizer; every k-th also of the slow weights.

        Args:
            loss: the variable to minimize, with one element.
            startup_program: the program that initializes the slow weights; the default one if None.

        Returns:
            (update operators, [(parameter, gradient)]).
        """
        return LookaheadOptimizer._minimize.of(loss)(self, loss, startup_program)

    @per_mode
    def _minimize(self, loss: BaseVariable, startup_program: Program | None) -> tuple[Any, Pairs]:
        result = self.inner_optimizer.minimize(loss, startup_program)
        with program_guard(loss.block.program, startup_program):
            self._append_slow()
        return result

    @_minimize.imperative
    def _minimize_now(self, loss: BaseVariable, startup_program: Program | None) -> tuple[Any, Pairs]:
        pairs = self.inner_optimizer.backward(loss)
        for param, _ in pairs:
            self._slow.setdefault(id(param), (param, param._t.clone()))
        self.inner_optimizer.apply_optimize(loss, None, pairs)
        self._steps += 1
        if self._steps % self.k == 0:
            for param, slow in self._slow.values():
                param._t.copy_(slow.lerp_(param._t, self.alpha))
        return None, pairs

    def _append_slow(self) -> None:
        main = programs.default_main_program().global_block()
        startup = programs.default_startup_program().global_block()
        slow_of = {}
        for param in main.all_parameters():
            declared: dict[str, Any] = {
                "name": f"{param.name}@SLOW",
                "shape": param.shape,
                "dtype": param.dtype,
                "persistable": True,
            }
            slow_of[param] = main.create_var(**declared)
            startup.append_op(assign.type, {"X": startup.var(param.name)}, {"Out": startup.create_var(**declared)})
        k = create_global_var([1], self.k, "int32", persistable=True, name="lookahead_k")
        alpha = create_global_var([1], self.alpha, "float32", persistable=True, name="lookahead_alpha")
        step = create_global_var([1], 0, "int32", persistable=True, name="lookahead_step")
        increment(step, step=1.0, outs={"Out": step})
        zero, unit = fill_constant([1], "float32", 0.0), fill_constant([1], "float32", 1.0)
        with Switch() as switch:
            with switch.case(elementwise_mod(step, k) == zero):
                for fast, slow in slow_of.items():
                    goes = elementwise_mul(fast, alpha)
                    stays = elementwise_mul(slow, elementwise_sub(unit, alpha))
                    moved = elementwise_add(goes, stays)
                    assign(moved, outs={"Out": slow})
                    assign(moved, outs={"Out": fast})
            with switch.default():
                pass
