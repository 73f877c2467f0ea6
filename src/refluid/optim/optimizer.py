"""Optimizer: the base of all optimizers, in both modes from one class.

A subclass names its accumulators and describes the update of one parameter. In the static mode the updates become
operators of the program; in the imperative mode they run at once, many parameters in one fused call.
"""

from __future__ import annotations

from typing import Any

from refluid.autodiff.backward import append_backward
from refluid.core import mode
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.eager.base import _no_grad, tape
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.program import program_guard
from refluid.optim.accumulators import Accumulators
from refluid.optim.clip import clip_gradients, error_clip_callback
from refluid.optim.learning_rate import LearningRate
from refluid.optim.regularizer import regularize
from refluid.optim.update import Update, run_updates


class Optimizer:
    """Base of optimizers.

    Args:
        learning_rate: a number, a variable (static), or a LearningRateDecay object (imperative).
        parameter_list: what to update in the imperative mode; what the loss reaches if None.
        regularization: added to every gradient whose parameter has no regularizer of its own.
        grad_clip: clips all gradients together.
    """

    type = "optimizer"

    def __init__(
        self,
        learning_rate: Any,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ):
        if parameter_list is not None:
            if isinstance(parameter_list, VarBase | str) or not hasattr(parameter_list, "__iter__"):
                raise ArgumentError(f"parameter_list must be a list of parameters, got {type(parameter_list).__name__}")
            parameter_list = list(parameter_list)
        self._parameter_list = parameter_list
        self._name = name
        self.regularization = regularization
        self._grad_clip = grad_clip
        self._learning_rate = LearningRate(learning_rate)
        self._accumulators = Accumulators(name)
        self.helper = None

    # -- what subclasses say ------------------------------------------------------------------------------------

    def _create_accumulators(self, block: Any, parameters: list[Any]) -> None:
        """Make the state of these parameters with `self._add_accumulator`."""

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        """The update of one parameter."""
        raise NotImplementedError(f"{type(self).__name__} must define _update")

    def _finish_update(self, block: Any, parameters_and_grads: list[Any]) -> None:
        """Whatever comes after all updates."""

    def _add_accumulator(self, name: str, param: Any, fill_value: float = 0.0, shape: Any = None, dtype: Any = None) -> Any:
        return self._accumulators.add(name, param, fill_value, shape, dtype)

    def _get_accumulator(self, name: str, param: Any) -> Any:
        return self._accumulators.get(name, param)

    # -- what programs call -------------------------------------------------------------------------------------

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        grad_clip: Any = None,
    ) -> tuple[Any, list[tuple[Any, Any]]]:
        """Make the loss smaller: in the static mode append gradients and updates, in the imperative mode update now.

        In the imperative mode call `loss.backward()` first.
        Returns:
            (update operators, [(parameter, gradient)]).
        """
        if grad_clip is not None:
            self._grad_clip = grad_clip
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        return self.apply_optimize(loss, startup_program, pairs), pairs

    def backward(
        self, loss: Any, startup_program: Any = None, parameter_list: Any = None, no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> list[tuple[Any, Any]]:  # fmt: skip
        """[(parameter, gradient)]: appended to the program, or collected from the last `loss.backward()`."""
        chosen = parameter_list if parameter_list is not None else self._parameter_list
        if isinstance(loss, VarBase):
            return self._collect(loss, chosen)
        if callbacks is None:
            callbacks = [error_clip_callback]
        with program_guard(loss.block.program, startup_program or programs.default_startup_program()):
            pairs = append_backward(loss, chosen, no_grad_set, callbacks)
        if not pairs:
            raise EnforceNotMet(
                f"minimize: {loss.name} depends on no trainable parameter; check trainable, stop_gradient, "
                "no_grad_set and parameter_list"
            )
        return pairs

    def apply_gradients(self, params_grads: list[tuple[Any, Any]]) -> Any:
        """Clip, regularise and update."""
        if mode.current.imperative and any(isinstance(p, ParamBase) for p, _ in params_grads):
            with _no_grad():
                run_updates(self._updates(params_grads))
            return None
        params_grads = sorted(params_grads, key=lambda pair: pair[0].name)
        first = len(programs.default_main_program().global_block().ops)
        params_grads = clip_gradients(params_grads, self._grad_clip)
        params_grads = regularize(params_grads, self.regularization)
        return self._append_updates(params_grads) or programs.default_main_program().global_block().ops[first:]

    def apply_optimize(self, loss: Any, startup_program: Any, params_grads: list[tuple[Any, Any]]) -> Any:
        if isinstance(loss, VarBase):
            return self.apply_gradients(params_grads)
        with program_guard(loss.block.program, startup_program or programs.default_startup_program()):
            return self.apply_gradients(params_grads)

    def clear_gradients(self) -> None:
        """Forget the gradients of the parameters in parameter_list."""
        for param in self._parameter_list or []:
            param.clear_gradient()

    def get_opti_var_name_list(self) -> list[str]:
        """The names of the optimizer's own variables."""
        return self._accumulators.names()

    # -- imperative ---------------------------------------------------------------------------------------------

    def _collect(self, loss: VarBase, chosen: Any) -> list[tuple[Any, Any]]:
        if chosen is None:
            # 1.4 and 1.5 have no parameter lists: what the loss reaches is what is trained.
            reached = [ref() for ref in loss._reached or []]
            chosen = [p for p in reached if isinstance(p, ParamBase) and p.trainable]
        pairs = [(p, VarBase(p._grad)) for p in chosen if p.trainable and p._grad is not None]
        if not pairs:
            raise EnforceNotMet(
                "minimize: no parameter has a gradient; call loss.backward() before minimize, "
                "and check trainable and parameter_list"
            )
        return pairs

    def _updates(self, pairs: list[tuple[Any, Any]]) -> list[Update]:
        tape.step += 1
        if self._grad_clip is not None or any(p.gradient_clip_attr is not None for p, _ in pairs):
            pairs = clip_gradients(pairs, self._grad_clip)
        if self.regularization is not None or any(p.regularizer is not None for p, _ in pairs):
            pairs = regularize(pairs, self.regularization)
        self._create_accumulators(None, [p for p, _ in pairs])
        lr = self._learning_rate.imperative()
        updates = [self._update(p, g, self._learning_rate.scaled(lr, p)) for p, g in pairs]
        self._finish_update(None, pairs)
        return updates

    @property
    def current_lr(self) -> float:
        return self._learning_rate.value()

    def current_step_lr(self) -> float:
        """The learning rate of the present step."""
        return self._learning_rate.value()

    def set_lr(self, value: Any) -> None:
        """Set the learning rate by hand; not for optimizers with a LearningRateDecay."""
        self._learning_rate.set(value)

    def state_dict(self) -> dict[str, Any]:
        """Accumulators by name, and the state of the learning-rate schedule."""
        return {**self._accumulators.state(), **self._learning_rate.state()}

    def set_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        self._learning_rate.restore(state_dict)
        self._accumulators.restore(state_dict)

    set_state_dict = set_dict

    # -- static -------------------------------------------------------------------------------------------------

    def _append_updates(self, pairs: list[tuple[Any, Any]]) -> list[Any]:
        program = programs.default_main_program()
        block = program.global_block()
        if program.current_block_idx != 0:
            block = program.current_block()
        first = len(block.ops)
        lr = self._learning_rate.static(program, self._name)
        self._create_accumulators(block, [p for p, _ in pairs if p.trainable])
        for param, grad in pairs:
            if grad is None or not param.trainable:
                continue
            with program._optimized_guard([param, grad]), program.name_scope("optimizer"):
                update = self._update(param, grad, self._learning_rate.scaled(lr, param))
                block.append_op(update.op.type, update.inputs, update.outputs(), update.attrs)
        with program.role(2), program.name_scope("optimizer"):
            self._finish_update(block, pairs)
        return block.ops[first:]

