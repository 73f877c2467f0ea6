"""Optimizer: the base of all optimizers, in both modes from one class.

A subclass names its accumulators and describes the update of one parameter. In the static mode the updates become
operators of the program; in the imperative mode they run at once, many parameters in one fused call.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

import torch

from refluid.autodiff.backward import append_backward, check_loss
from refluid.core import mode, unique_name
from refluid.core.callsite import called_function
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, ModeError, NotDefinedError, NotFoundError
from refluid.core.mode import per_mode
from refluid.core.types import Dtype
from refluid.core.warn import warn_once
from refluid.eager.base import no_grad, tape
from refluid.eager.parameter import ParamBase
from refluid.eager.unread import held_gradient, unread_gradient
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable, V
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.layers.helper import LayerHelper
from refluid.optim.accumulators import Accumulators
from refluid.optim.clip import GradientClipBase, Pairs, check_clip
from refluid.optim.decay import LearningRateDecay
from refluid.optim.error_clip import error_clip_callback
from refluid.optim.generations import without_parameter_lists
from refluid.optim.learning_rate import LearningRate
from refluid.optim.param_clip import clip_by_parameter
from refluid.optim.regularizer import WeightDecayRegularizer, check_regularizer, regularize
from refluid.optim.step import Step
from refluid.optim.update import Update

Rate: TypeAlias = float | BaseVariable | LearningRateDecay
"""What optimizers take as learning_rate."""

Parameters: TypeAlias = Iterable[BaseVariable | str] | None
"""What optimizers take as parameter_list."""


class Optimizer:
    """Base of optimizers.

    Args:
        learning_rate: a number, a float32 variable of shape [1], or in the imperative mode a LearningRateDecay.
        parameter_list: the parameters to update. None means in the static mode all trainable ones of the program, in
            the imperative mode those that the loss depends on.
        regularization: weight decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClip... object of fluid.clip that clips the gradients before the update.
        name: part of the names of the accumulators.
    """

    type = "optimizer"
    demands_parameters = False  # in the imperative mode: paddle.optimizer of 2.0-alpha does

    @without_parameter_lists
    def __init__(
        self,
        learning_rate: Rate,
        parameter_list: Parameters = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        name: str | None = None,
    ):
        self._parameter_list = _parameters(parameter_list)
        if self._parameter_list == []:
            warn_once(f"{type(self).__name__}: parameter_list is empty, so minimize will update nothing")
        if self.demands_parameters and parameter_list is None:
            what = type(self).__name__
            mode.current().demand_program(ArgumentError(f"{what}: parameter_list is needed in the imperative mode"))
        check_regularizer(regularization, type(self).__name__)
        check_clip(grad_clip, type(self).__name__)
        self.regularization, self._grad_clip, self._name = regularization, grad_clip, name
        self._rate = LearningRate(learning_rate, type(self).__name__)
        self._accumulators = Accumulators(name)
        self._dtype: VarType | None = None  # of the loss of the static mode
        self.helper: LayerHelper | None = None  # what subclasses of programs make variables with
        self._step: Step | None = None

    # -- copying ------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_step": None}  # a copy lays out its own

    def __deepcopy__(self, memo: dict) -> Optimizer:
        """A copy for copies of the parameters, which have names of their own."""
        copied = self.__class__.__new__(self.__class__)
        memo[id(self)] = copied
        copied.__dict__.update(copy.deepcopy(self.__getstate__(), memo))
        pairs = zip(self._parameter_list or (), copied._parameter_list or (), strict=True)
        copied._accumulators.follow({old.name: new.name for old, new in pairs})
        return copied

    # -- what subclasses say ------------------------------------------------------------------------------------

    def _create_accumulators(self, block: Block, parameters: Sequence[BaseVariable]) -> None:
        """Make the state of these parameters with `self._add_accumulator`."""

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        """The update of one parameter."""
        raise NotDefinedError(f"{type(self).__name__} must define _update")

    def _append_optimize_op(self, block: Block, param_and_grad: tuple[Any, Any]) -> Operator | None:
        """Append the update of one parameter. Subclasses that programs derive put their own operators here."""
        param, grad = param_and_grad
        update = self._update(param, grad, self._create_param_lr(param_and_grad))
        return block.append_op(update.op.type, update.inputs, update.outputs(), update.attrs)

    def _finish_update(self, block: Block, parameters_and_grads: Pairs) -> None:
        """Whatever comes after all updates."""

    def _add_accumulator(
        self,
        name: str,
        param: BaseVariable,
        dtype: Dtype | None = None,
        fill_value: float = 0.0,
        shape: Sequence[int] | None = None,
        type: VarType | None = None,
        device: str | None = None,
    ) -> BaseVariable:
        """An accumulator of a parameter, made on first use; where it lives is not asked."""
        return self._accumulators.add(name, param, fill_value, shape, dtype)

    def _get_accumulator(self, name: str, param: V) -> V:
        return self._accumulators.of(name, param)

    @property
    def _opti_name_list(self) -> list[str]:
        return self._accumulators.names

    # -- what programs call -------------------------------------------------------------------------------------

    def minimize(
        self,
        loss: BaseVariable,
        startup_program: Program | None = None,
        parameter_list: Parameters = None,
        no_grad_set: Iterable[BaseVariable | str] | None = None,
        grad_clip: GradientClipBase | None = None,
    ) -> tuple[Any, Pairs]:
        """Minimize the loss: in the static mode append gradients and updates, in the imperative mode update now.

        In the imperative mode call `loss.backward()` first.

        Args:
            loss: the variable to minimize, with one element.
            startup_program: the program that initializes the accumulators; the default one if None.
            parameter_list: the parameters to update, in place of the optimizer's own list.
            no_grad_set: variables, or their names, that get no gradient.
            grad_clip: replaces the clip of the optimizer, as in 1.5.

        Returns:
            (update operators, [(parameter, gradient)]).
        """
        if grad_clip is not None:  # 1.5
            check_clip(grad_clip)
            self._grad_clip = grad_clip
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        # Subclasses of programs change parameters in apply_optimize, which must leave no graph behind.
        with _without_graph.of(loss)():
            return self.apply_optimize(loss, startup_program, pairs), pairs

    def backward(
        self,
        loss: BaseVariable,
        startup_program: Program | None = None,
        parameter_list: Parameters = None,
        no_grad_set: Iterable[BaseVariable | str] | None = None,
        callbacks: Sequence[Callable[..., None]] | None = None,
    ) -> Pairs:
        """[(parameter, gradient)]: appended to the program, or collected from the last `loss.backward()`.

        Args:
            loss: the variable to minimize, with one element.
            startup_program: the program that initializes what the backward pass needs; the default one if None.
            parameter_list: the parameters to update, in place of the optimizer's own list.
            no_grad_set: variables, or their names, that get no gradient.
            callbacks: functions (block, context) that are called after each gradient operator.

        Returns:
            A list of pairs (parameter, gradient).
        """
        return Optimizer._gradients.of(loss)(self, loss, startup_program, parameter_list, no_grad_set, callbacks)

    @per_mode
    def _gradients(
        self,
        loss: BaseVariable,
        startup_program: Program | None,
        parameter_list: Parameters,
        no_grad_set: Iterable[BaseVariable | str] | None,
        callbacks: Sequence[Callable[..., None]] | None,
    ) -> Pairs:
        chosen = _parameters(parameter_list) or self._parameter_list
        chosen = None if chosen is None else list(dict.fromkeys(chosen))
        if not isinstance(loss, Variable):
            raise DtypeError(f"minimize: loss must be a Variable, got {type(loss).__name__}")
        _check_mode(chosen, Variable | str, "static")
        self._rate.check_static()
        self._dtype = loss.dtype
        callbacks = [error_clip_callback] if callbacks is None else [error_clip_callback, *callbacks]
        check_loss(loss, strictly=True)
        with program_guard(loss.block.program, startup_program):
            pairs = append_backward(loss, chosen, no_grad_set, callbacks)
        if not pairs:
            warn_once(
                f"minimize: {loss.name} depends on no trainable parameter, so nothing will be updated; check "
                "trainable, stop_gradient, no_grad_set and parameter_list"
            )
        return pairs

    def apply_gradients(self, params_grads: Pairs) -> list[Operator]:
        """Clip the gradients, add weight decay and update the parameters.

        Args:
            params_grads: pairs (parameter, gradient), as `backward` returns them.

        Returns:
            The update operators; an empty list in the imperative mode.
        """
        _check_pairs(params_grads)
        if not params_grads:
            return []
        return Optimizer._apply.of(params_grads[0][0])(self, params_grads)

    @per_mode
    def _apply(self, params_grads: Pairs) -> list[Operator]:
        params_grads = sorted(params_grads, key=lambda pair: pair[0].name)
        params_grads = self._clip(params_grads)
        program = programs.default_main_program()
        with program.name_scope("regularization"):
            params_grads = regularize(params_grads, self.regularization)
        return self._append_updates(program, params_grads)

    def apply_optimize(
        self, loss: BaseVariable, startup_program: Program | None, params_grads: Pairs
    ) -> list[Operator]:
        """`apply_gradients` in the programs of the loss.

        Args:
            loss: the variable to minimize, which tells the mode and the program.
            startup_program: the program that initializes the accumulators; the default one if None.
            params_grads: pairs (parameter, gradient).

        Returns:
            The update operators; an empty list in the imperative mode.
        """
        with _programs_of.of(loss)(loss, startup_program):
            return self.apply_gradients(params_grads)

    def _clip(self, pairs: Pairs) -> Pairs:
        return clip_by_parameter(pairs) if self._grad_clip is None else self._grad_clip(pairs)

    # -- imperative ---------------------------------------------------------------------------------------------

    @_gradients.imperative
    def _collected(
        self, loss: VarBase, startup_program: object, parameter_list: Parameters, no_grad_set: object, callbacks: object
    ) -> Pairs:
        self._dtype = loss.dtype
        return self._collect(loss, self._chosen_now(parameter_list))

    @_apply.imperative
    def _apply_now(self, params_grads: Pairs) -> list[Operator]:
        with no_grad():
            self._update_now(params_grads)
        return []

    def _chosen_now(self, parameter_list: Parameters) -> list[Any] | None:
        """What to update: the optimizer's own list, whatever minimize is given, as in Fluid."""
        asked = _parameters(parameter_list)
        if self._parameter_list is None:
            _check_mode(asked, VarBase | str, "imperative")
            return asked
        _check_mode(self._parameter_list, VarBase, "imperative")
        if asked and {_name(param) for param in asked} != {param.name for param in self._parameter_list}:
            warn_once(
                "minimize: the optimizer updates the parameter_list that it was made with, not the one that minimize "
                "is given, as in Fluid"
            )
        return self._parameter_list

    def _collect(self, loss: VarBase, chosen: list[Any] | None) -> Pairs:
        if chosen is None or any(isinstance(param, str) for param in chosen):
            # 1.4 and 1.5 have no parameter lists: what the loss reaches is what is trained.
            reached = [ref() for ref in loss._reached or []]
            names = None if chosen is None else {_name(param) for param in chosen}
            chosen = [p for p in reached if isinstance(p, ParamBase) and (names is None or p.name in names)]
        trained = (p for p in chosen if getattr(p, "trainable", True))
        pairs = [(p, grad) for p in trained if (grad := unread_gradient(p)) is not None]
        if not pairs:
            hint = "and check trainable and parameter_list"
            if not tape().recording:
                hint = "and train() of the model before that: eval() of any layer stops recording for all, as in Fluid"
            warn_once(f"minimize: no parameter has a gradient, so none is updated; call loss.backward() first, {hint}")
        return pairs

    def _update_now(self, pairs: Pairs) -> None:
        tape().end_step()
        pairs = [pair for pair in pairs if pair[1] is not None]
        params = [param for param, _ in pairs]
        if self._grad_clip is not None or any(p.gradient_clip_attr is not None for p in params):
            pairs = self._clip(pairs)
        if self.regularization is not None or any(p.regularizer is not None for p in params):
            pairs = regularize(pairs, self.regularization)
        block = programs.default_main_program().global_block()
        if type(self)._append_optimize_op is not Optimizer._append_optimize_op:
            self._run_pass(block, pairs)
            return
        rate = self._rate.next()
        for turn in _turns(pairs):
            self._update_once(block, turn, rate)
        self._finish_update(block, pairs)

    def _update_once(self, block: Block, pairs: Pairs, rate: torch.Tensor) -> None:
        params = [param for param, _ in pairs]
        step = self._step
        if step is None or not step.fits(params):
            self.helper = LayerHelper(type(self).__name__)
            self._create_accumulators(block, params)
            later = VarBase(torch.empty(0))  # gradients and rates are put in by the step
            step = self._step = Step(params, [self._update(param, later, later) for param in params])
        step.run([held_gradient(grad) for _, grad in pairs], rate)

    def clear_gradients(self) -> None:
        """Clear the gradients of the parameters in parameter_list."""
        for param in self._parameter_list or []:
            param.clear_gradient()

    @property
    def _learning_rate(self) -> Rate:
        """What was given as learning_rate."""
        return self._rate.given

    @_learning_rate.setter
    def _learning_rate(self, value: Rate) -> None:
        self._rate = LearningRate(value)

    @property
    def _learning_rate_map(self) -> dict[Any, Any]:
        """The variable that holds the learning rate, by program; programs put their own in."""
        return self._rate.variables

    @per_mode
    def _create_global_learning_rate(self) -> None:
        """Make that variable; in the imperative mode the schedule advances one step."""
        program = programs.default_main_program()
        self._rate.variable(program, "float32" if self._dtype is None else self._dtype)

    @_create_global_learning_rate.imperative
    def _next_learning_rate(self) -> None:
        self._rate.next()

    def _create_param_lr(self, param_and_grad: tuple[Any, Any]) -> BaseVariable:
        """The variable that holds the learning rate of one parameter."""
        program = programs.default_main_program()
        return self._rate.scaled(program, self._global_learning_rate(), param_and_grad[0])

    def _global_learning_rate(self, program: Program | None = None) -> Any:
        """The variable that holds the learning rate, which programs fetch; None before there is one."""
        return self._rate.existing(programs.default_main_program() if program is None else program)

    def current_step_lr(self) -> float:
        """The learning rate of the present step.

        Returns:
            A float.
        """
        return self._rate.value()

    def set_lr(self, value: float | VarBase) -> None:
        """Set the learning rate by hand; not for optimizers with a LearningRateDecay.

        Args:
            value: the new learning rate, a number or a float32 variable of shape [1].
        """
        self._rate.set(value)

    # -- state --------------------------------------------------------------------------------------------------

    def get_opti_var_name_list(self) -> list[str]:
        """The names of the optimizer's own variables."""
        return list(self._accumulators.names)

    def state_dict(self) -> dict[str, Any]:
        """Accumulators by name; with a schedule also 'LR_Scheduler' and 'global_step'."""
        return {**self._accumulators.state(), **self._rate.state()}

    def set_dict(self, state_dict: dict[str, Any] | None) -> None:
        """Restore what `state_dict` returned; all or nothing.

        Args:
            state_dict: accumulators by name, as variables or arrays, and the state of the schedule. An optimizer that
                keeps nothing also takes the None that `load_dygraph` gives where no .pdopt file is.
        """
        if state_dict is None and not self._keeps_state():
            return
        if not isinstance(state_dict, dict):
            raise DtypeError(f"set_dict: expected a dict of names and values, got {type(state_dict).__name__}")
        values = {k: v for k, v in state_dict.items() if k not in ("LR_Scheduler", "global_step")}
        self._accumulators.check(values, self._accumulators_to_come(values))
        self._rate.restore(state_dict)
        self._accumulators.restore(values)

    set_state_dict = set_dict

    def _keeps_state(self) -> bool:
        """Whether steps leave anything but the parameters: accumulators, or the counter of a schedule."""
        makes = type(self)._create_accumulators is not Optimizer._create_accumulators
        return makes or isinstance(self._learning_rate, LearningRateDecay)

    def _accumulators_to_come(self, values: dict[str, Any]) -> dict[str, Any]:
        """Accumulators that the first step will make, by the names in `values`; imperative mode.

        They are made as a trial, one parameter at a time, and dropped: which ones the step updates is not known yet.
        """
        held = self._accumulators
        expected: dict[str, Any] = {}
        known = {name for of_params in held.values() for name in of_params}
        for param in self._parameter_list or []:
            if not isinstance(param, VarBase) or param.name in known:
                continue
            if not any(name.startswith(f"{param.name}_") for name in values):
                continue
            self._accumulators = Accumulators(self._name)
            try:
                with unique_name.guard():
                    self._create_accumulators(programs.default_main_program().global_block(), [param])
                expected |= self._accumulators.expected(param.name, values)
            finally:
                self._accumulators = held
        return expected

    def load(self, stat_dict: dict[str, Any]) -> None:
        """1.5: take over the learning rate schedule from the optimizers that `load_persistables` gave, by name."""
        if not isinstance(stat_dict, dict):
            raise DtypeError(f"load: expected the dict that load_persistables gives, got {type(stat_dict).__name__}")
        state = stat_dict.get(str(self._name), next(iter(stat_dict.values())) if len(stat_dict) == 1 else None)
        if isinstance(state, LearningRateDecay):
            self._rate = LearningRate(state)
        elif isinstance(state, dict) and "LR_Scheduler" not in stat_dict:
            self.set_dict(state)
        elif "LR_Scheduler" in stat_dict or any(name in stat_dict for name in self._accumulators.names):
            self.set_dict(stat_dict)
        else:
            raise NotFoundError(f"load: there is no optimizer {self._name!r} among {sorted(stat_dict)}")

    # -- static -------------------------------------------------------------------------------------------------

    def _append_updates(self, program: Program, pairs: Pairs) -> list[Operator]:
        _warn_of_updates_before(program, pairs)
        block = program.current_block()
        first = len(block.ops)
        self._run_pass(block, pairs)
        return block.ops[first:]

    def _run_pass(self, block: Block, pairs: Pairs) -> None:
        """Parameter by parameter; in the imperative mode for subclasses with operators of their own."""
        self.helper = LayerHelper(type(self).__name__)
        self._create_accumulators(block, [param for param, _ in pairs if param.trainable])
        self._create_global_learning_rate()
        for param, grad in pairs:
            if grad is not None and param.trainable:
                with block.program._optimized_guard([param, grad]), block.program.name_scope("optimizer"):
                    self._append_optimize_op(block, (param, grad))
        self._finish_update(block, pairs)


@per_mode
def _without_graph() -> AbstractContextManager[None]:
    """While parameters are updated, nothing is recorded for gradients."""
    return contextlib.nullcontext()


_without_graph.imperative(no_grad)


@per_mode
def _programs_of(loss: BaseVariable, startup_program: Program | None) -> AbstractContextManager[None]:
    """Where updates are appended to: the program of the loss."""
    return program_guard(loss.block.program, startup_program)


@_programs_of.imperative
def _no_programs(loss: object, startup_program: Program | None) -> AbstractContextManager[None]:
    return contextlib.nullcontext()


def _warn_of_updates_before(program: Program, pairs: Pairs) -> None:
    updated = {name for op in program.global_block().ops if "ParamOut" in op.outputs for name in op.input("Param")}
    again = [param.name for param, grad in pairs if grad is not None and param.name in updated]
    if again:
        warn_once(
            f"minimize: this program has been minimized before and updates {', '.join(again[:3])} already; every run "
            "will now update it once more, as in Fluid; add the losses, or give each its own parameter_list or program"
        )


def _turns(pairs: Pairs) -> list[Pairs]:
    """Fluid: a parameter that the list has twice is updated twice; in one turn each comes once."""
    if len({id(param) for param, _ in pairs}) == len(pairs):
        return [pairs]
    turns: list[dict[int, tuple[Any, Any]]] = []
    for pair in pairs:
        turn = next((params for params in turns if id(pair[0]) not in params), None)
        if turn is None:
            turn = {}
            turns.append(turn)
        turn[id(pair[0])] = pair
    return [list(turn.values()) for turn in turns]


def _parameters(parameter_list: object) -> list[Any] | None:
    if parameter_list is None:
        return None
    if isinstance(parameter_list, str | dict | BaseVariable) or not hasattr(parameter_list, "__iter__"):
        hint = "; use its parameters()" if hasattr(parameter_list, "parameters") else ""
        raise DtypeError(
            f"{called_function()}: parameter_list must be a list of parameters, got "
            f"{type(parameter_list).__name__}{hint}"
        )
    params = list(parameter_list)
    for param in params:
        if not isinstance(param, BaseVariable | str):
            hint = "; use its parameters()" if hasattr(param, "parameters") else ""
            raise DtypeError(
                f"{called_function()}: parameter_list must hold parameters, got {type(param).__name__}{hint}"
            )
    return params


def _name(param: BaseVariable | str) -> str:
    return param if isinstance(param, str) else param.name


def _check_mode(chosen: list[Any] | None, kind: Any, mode: str) -> None:
    """Refuse parameters of the other mode than that of the loss."""
    for param in chosen or []:
        if not isinstance(param, kind):
            raise ModeError(
                f"minimize: the loss is a variable of the {mode} mode, but parameter_list holds "
                f"{_name(param)}, a {type(param).__name__}; "
                f"give the parameters of a model that was made in the {mode} mode"
            )


def _check_pairs(pairs: Iterable[object]) -> None:
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise DtypeError(f"apply_gradients: expected pairs (parameter, gradient), got {type(pair).__name__}")
        for var in pair:
            if var is not None and not isinstance(var, BaseVariable):
                raise DtypeError(f"apply_gradients: a pair must hold variables, got {type(var).__name__}")
