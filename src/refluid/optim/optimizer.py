"""Optimizer: the base of all optimizers, in both modes from one class.

A subclass names its accumulators and describes the update of one parameter. In the static mode the updates become
operators of the program; in the imperative mode they run at once, many parameters in one fused call.
"""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import torch

from refluid.autodiff.backward import append_backward, check_loss
from refluid.core.errors import ArgumentError, DtypeError, ModeError, NotFoundError
from refluid.core.warn import warn_once
from refluid.eager.base import enabled, no_grad, tape
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.arithmetic import Arithmetic
from refluid.ir.program import program_guard
from refluid.ir.variable import Variable
from refluid.layers.helper import LayerHelper
from refluid.optim.accumulators import Accumulators
from refluid.optim.clip import check_clip
from refluid.optim.decay import LearningRateDecay
from refluid.optim.error_clip import error_clip_callback
from refluid.optim.learning_rate import LearningRate
from refluid.optim.param_clip import clip_by_parameter
from refluid.optim.regularizer import WeightDecayRegularizer, check_regularizer, regularize
from refluid.optim.step import Step
from refluid.optim.update import Update

Pairs = list[tuple[Any, Any]]


class Optimizer:
    """Base of optimizers.

    Args:
        learning_rate: a number, a variable (static), or a LearningRateDecay object (imperative).
        parameter_list: what to update; in the imperative mode what the loss reaches if None.
        regularization: added to every gradient whose parameter has no regularizer of its own.
        grad_clip: clips all gradients together.
        name: goes into the names of the accumulators.
    """

    type = "optimizer"
    demands_parameters = False  # in the imperative mode: paddle.optimizer of 2.0-alpha does

    def __init__(
        self,
        learning_rate: Any,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ):
        if isinstance(parameter_list, WeightDecayRegularizer) or isinstance(regularization, str):
            # 1.4 and 1.5 have (regularization, name) in these places
            parameter_list, regularization, name = None, parameter_list, regularization or name
        self._parameter_list = _parameters(parameter_list)
        if self.demands_parameters and parameter_list is None and enabled():
            raise ArgumentError(f"{type(self).__name__}: parameter_list is needed in the imperative mode")
        check_regularizer(regularization)
        check_clip(grad_clip)
        self.regularization, self._grad_clip, self._name = regularization, grad_clip, name
        self._rate = LearningRate(learning_rate)
        self._accumulators = Accumulators(name)
        self._dtype: Any = None  # of the loss of the static mode
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

    def _create_accumulators(self, block: Any, parameters: list[Any]) -> None:
        """Make the state of these parameters with `self._add_accumulator`."""

    def _update(self, param: Any, grad: Any, lr: Any) -> Update:
        """The update of one parameter."""
        raise NotImplementedError(f"{type(self).__name__} must define _update")

    def _append_optimize_op(self, block: Any, param_and_grad: Any) -> Any:
        """Append the update of one parameter. Subclasses that programs derive put their own operators here."""
        param, grad = param_and_grad
        update = self._update(param, grad, self._create_param_lr(param_and_grad))
        return block.append_op(update.op.type, update.inputs, update.outputs(), update.attrs)

    def _finish_update(self, block: Any, parameters_and_grads: Pairs) -> None:
        """Whatever comes after all updates."""

    def _add_accumulator(
        self, name: str, param: Any, dtype: Any = None, fill_value: float = 0.0, shape: Any = None, type: Any = None,
        device: Any = None,
    ) -> Any:  # fmt: skip
        """An accumulator of a parameter, made on first use; where it lives is not asked."""
        return self._accumulators.add(name, param, fill_value, shape, dtype)

    def _get_accumulator(self, name: str, param: Any) -> Any:
        return self._accumulators.of(name, param)

    @property
    def _opti_name_list(self) -> list[str]:
        return self._accumulators.names

    # -- what programs call -------------------------------------------------------------------------------------

    def minimize(
        self, loss: Any, startup_program: Any = None, parameter_list: Any = None, no_grad_set: Any = None,
        grad_clip: Any = None,
    ) -> tuple[Any, Pairs]:  # fmt: skip
        """Make the loss smaller: in the static mode append gradients and updates, in the imperative mode update now.

        In the imperative mode call `loss.backward()` first.
        Returns:
            (update operators, [(parameter, gradient)]).
        """
        if grad_clip is not None:  # 1.5
            check_clip(grad_clip)
            self._grad_clip = grad_clip
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        # Subclasses of programs change parameters in apply_optimize, which must leave no graph behind.
        with no_grad() if isinstance(loss, VarBase) else contextlib.nullcontext():
            return self.apply_optimize(loss, startup_program, pairs), pairs

    def backward(
        self, loss: Any, startup_program: Any = None, parameter_list: Any = None, no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> Pairs:  # fmt: skip
        """[(parameter, gradient)]: appended to the program, or collected from the last `loss.backward()`."""
        if isinstance(loss, VarBase):
            self._dtype = loss.dtype
            return self._collect(loss, self._chosen_now(parameter_list))
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

    def apply_gradients(self, params_grads: Pairs) -> Any:
        """Clip, regularise and update."""
        _check_pairs(params_grads)
        if not params_grads:
            return []
        if isinstance(params_grads[0][0], VarBase):
            with no_grad():
                self._update_now(params_grads)
            return []
        params_grads = sorted(params_grads, key=lambda pair: pair[0].name)
        params_grads = self._clip(params_grads)
        program = programs.default_main_program()
        with program.name_scope("regularization"):
            params_grads = regularize(params_grads, self.regularization)
        return self._append_updates(program, params_grads)

    def apply_optimize(self, loss: Any, startup_program: Any, params_grads: Pairs) -> Any:
        """`apply_gradients` in the programs of the loss."""
        if isinstance(loss, VarBase):
            return self.apply_gradients(params_grads)
        with program_guard(loss.block.program, startup_program):
            return self.apply_gradients(params_grads)

    def _clip(self, pairs: Pairs) -> Pairs:
        return clip_by_parameter(pairs) if self._grad_clip is None else self._grad_clip(pairs)

    # -- imperative ---------------------------------------------------------------------------------------------

    def _chosen_now(self, parameter_list: Any) -> list[Any] | None:
        """What to update: the optimizer's own list, whatever minimize is given, as in Fluid."""
        given = _parameters(parameter_list)
        if self._parameter_list is None:
            _check_mode(given, VarBase | str, "imperative")
            return given
        _check_mode(self._parameter_list, VarBase, "imperative")
        if given and {one if isinstance(one, str) else one.name for one in given} != {
            one.name for one in self._parameter_list
        }:
            warn_once(
                "minimize: the optimizer updates the parameter_list that it was made with, not the one that minimize "
                "is given, as in Fluid"
            )
        return self._parameter_list

    def _collect(self, loss: VarBase, chosen: Any) -> Pairs:
        if chosen is None or any(isinstance(one, str) for one in chosen):
            # 1.4 and 1.5 have no parameter lists: what the loss reaches is what is trained.
            reached = [ref() for ref in loss._reached or []]
            names = None if chosen is None else {one if isinstance(one, str) else one.name for one in chosen}
            chosen = [p for p in reached if isinstance(p, ParamBase) and (names is None or p.name in names)]
        pairs = [(p, VarBase(g)) for p in chosen if getattr(p, "trainable", True) and (g := p._grad) is not None]
        if not pairs:
            hint = "and check trainable and parameter_list"
            if not tape.recording:
                hint = "and train() of the model before that: eval() of any layer stops recording for all, as in Fluid"
            warn_once(f"minimize: no parameter has a gradient, so none is updated; call loss.backward() first, {hint}")
        return pairs

    def _update_now(self, pairs: Pairs) -> None:
        tape.step += 1
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

    def _update_once(self, block: Any, pairs: Pairs, rate: torch.Tensor) -> None:
        params = [param for param, _ in pairs]
        step = self._step
        if step is None or not step.fits(params):
            self.helper = LayerHelper(type(self).__name__)
            self._create_accumulators(block, params)
            later = VarBase(torch.empty(0))  # gradients and rates are put in by the step
            step = self._step = Step(params, [self._update(param, later, later) for param in params])
        step.run([grad._t for _, grad in pairs], rate)

    def clear_gradients(self) -> None:
        """Forget the gradients of the parameters in parameter_list."""
        for param in self._parameter_list or []:
            param.clear_gradient()

    @property
    def _learning_rate(self) -> Any:
        """What was given as learning_rate."""
        return self._rate.given

    @_learning_rate.setter
    def _learning_rate(self, value: Any) -> None:
        self._rate = LearningRate(value)

    @property
    def _learning_rate_map(self) -> dict[Any, Any]:
        """The variable that holds the learning rate, by program; programs put their own in."""
        return self._rate.variables

    def _create_global_learning_rate(self) -> None:
        """Make that variable; in the imperative mode a schedule moves on."""
        if enabled():
            self._rate.next()
        else:
            program = programs.default_main_program()
            self._rate.variable(program, "float32" if self._dtype is None else self._dtype)

    def _create_param_lr(self, param_and_grad: Any) -> Any:
        """The variable that holds the learning rate of one parameter."""
        program = programs.default_main_program()
        return self._rate.scaled(program, self._global_learning_rate(), param_and_grad[0])

    def _global_learning_rate(self, program: Any = None) -> Any:
        """The variable that holds the learning rate, which programs fetch; None before there is one."""
        return self._rate.found(programs.default_main_program() if program is None else program)

    def current_step_lr(self) -> Any:
        """The learning rate of the present step."""
        return self._rate.value()

    def set_lr(self, value: Any) -> None:
        """Set the learning rate by hand; not for optimizers with a LearningRateDecay."""
        self._rate.set(value)

    # -- state --------------------------------------------------------------------------------------------------

    def get_opti_var_name_list(self) -> list[str]:
        """The names of the optimizer's own variables."""
        return list(self._accumulators.names)

    def state_dict(self) -> dict[str, Any]:
        """Accumulators by name; with a schedule also 'LR_Scheduler' and 'global_step'."""
        return {**self._accumulators.state(), **self._rate.state()}

    def set_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave, be it from a file; all or nothing."""
        if not isinstance(state_dict, dict):
            raise DtypeError(f"set_dict: expected a dict of names and values, got {type(state_dict).__name__}")
        values = {k: v for k, v in state_dict.items() if k not in ("LR_Scheduler", "global_step")}
        self._accumulators.check(values)
        self._rate.restore(state_dict)
        self._accumulators.restore(values)

    set_state_dict = set_dict

    def load(self, stat_dict: dict[str, Any]) -> None:
        """1.5: take over the learning rate schedule from the optimizers that `load_persistables` gave, by name."""
        if not isinstance(stat_dict, dict):
            raise DtypeError(f"load: expected the dict that load_persistables gives, got {type(stat_dict).__name__}")
        found = stat_dict.get(str(self._name), next(iter(stat_dict.values())) if len(stat_dict) == 1 else None)
        if isinstance(found, LearningRateDecay):
            self._rate = LearningRate(found)
        elif isinstance(found, dict) and "LR_Scheduler" not in stat_dict:
            self.set_dict(found)
        elif "LR_Scheduler" in stat_dict or any(name in stat_dict for name in self._accumulators.names):
            self.set_dict(stat_dict)
        else:
            raise NotFoundError(f"load: there is no optimizer {self._name!r} among {sorted(stat_dict)}")

    # -- static -------------------------------------------------------------------------------------------------

    def _append_updates(self, program: Any, pairs: Pairs) -> list[Any]:
        block = program.current_block()
        first = len(block.ops)
        self._run_pass(block, pairs)
        return block.ops[first:]

    def _run_pass(self, block: Any, pairs: Pairs) -> None:
        """Parameter by parameter; in the imperative mode for subclasses with operators of their own."""
        self.helper = LayerHelper(type(self).__name__)
        self._create_accumulators(block, [param for param, _ in pairs if param.trainable])
        self._create_global_learning_rate()
        for param, grad in pairs:
            if grad is not None and param.trainable:
                with block.program._optimized_guard([param, grad]), block.program.name_scope("optimizer"):
                    self._append_optimize_op(block, (param, grad))
        self._finish_update(block, pairs)


def _turns(pairs: Pairs) -> list[Pairs]:
    """Fluid: a parameter that the list has twice is updated twice; in one turn each comes once."""
    if len({id(param) for param, _ in pairs}) == len(pairs):
        return [pairs]
    turns: list[dict[int, tuple[Any, Any]]] = []
    for pair in pairs:
        turn = next((one for one in turns if id(pair[0]) not in one), None)
        if turn is None:
            turn = {}
            turns.append(turn)
        turn[id(pair[0])] = pair
    return [list(turn.values()) for turn in turns]


def _parameters(given: Any) -> list[Any] | None:
    if given is None:
        return None
    if isinstance(given, str | dict | Arithmetic) or not hasattr(given, "__iter__"):
        hint = "; use its parameters()" if hasattr(given, "parameters") else ""
        raise DtypeError(f"parameter_list must be a list of parameters, got {type(given).__name__}{hint}")
    found = list(given)
    for one in found:
        if not isinstance(one, Arithmetic | str):
            hint = "; use its parameters()" if hasattr(one, "parameters") else ""
            raise DtypeError(f"parameter_list must hold parameters, got {type(one).__name__}{hint}")
    return found


def _check_mode(chosen: list[Any] | None, kind: Any, mode: str) -> None:
    """Refuse parameters of the other mode than that of the loss."""
    for one in chosen or []:
        if not isinstance(one, kind):
            raise ModeError(
                f"minimize: the loss is a variable of the {mode} mode, but parameter_list holds "
                f"{one if isinstance(one, str) else one.name}, a {type(one).__name__}; "
                f"give the parameters of a model that was made in the {mode} mode"
            )


def _check_pairs(pairs: Any) -> None:
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise DtypeError(f"apply_gradients: expected pairs (parameter, gradient), got {type(pair).__name__}")
        for one in pair:
            if one is not None and not isinstance(one, Arithmetic):
                raise DtypeError(f"apply_gradients: a pair must hold variables, got {type(one).__name__}")
