"""decorate: an optimizer that trains a program in mixed precision."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from refluid.contrib.mixed_precision.casts import cast_gradients_last, rewrite_program
from refluid.contrib.mixed_precision.lists import AutoMixedPrecisionLists
from refluid.contrib.mixed_precision.scaling import update_loss_scaling
from refluid.core import mode, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, ModeError
from refluid.ir import program as programs
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.layers.compare import isfinite
from refluid.layers.control_flow.switch import Switch
from refluid.layers.creation import fill_constant, zeros_like
from refluid.layers.math import sums
from refluid.layers.parameters import create_global_var
from refluid.layers.reduce import reduce_sum
from refluid.layers.shape import concat
from refluid.layers.tensor import assign
from refluid.optim.clip import Pairs
from refluid.optim.optimizer import Optimizer, Parameters

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.ir.operator import Operator


class OptimizerWithMixedPrecision:
    """Another optimizer, on gradients of a loss that is scaled and computed partly in float16; see `decorate`."""

    def __init__(
        self,
        optimizer: Optimizer,
        amp_lists: AutoMixedPrecisionLists,
        init_loss_scaling: float,
        use_dynamic_loss_scaling: bool,
        incr_every_n_steps: int,
        decr_every_n_nan_or_inf: int,
        incr_ratio: float,
        decr_ratio: float,
    ):
        self._optimizer, self._amp_lists = optimizer, amp_lists
        self._train_program = programs.default_main_program()
        self._scaled_loss: Any = None
        self._loss_scaling = _state("loss_scaling", init_loss_scaling, "float32")
        self._use_dynamic_loss_scaling = use_dynamic_loss_scaling
        if use_dynamic_loss_scaling:
            self._incr_every_n_steps = fill_constant([1], "int32", incr_every_n_steps)
            self._decr_every_n_nan_or_inf = fill_constant([1], "int32", decr_every_n_nan_or_inf)
            self._incr_ratio, self._decr_ratio = incr_ratio, decr_ratio
            self._num_good_steps = _state("num_good_steps", 0, "int32")
            self._num_bad_steps = _state("num_bad_steps", 0, "int32")
        if isinstance(optimizer._learning_rate, float):
            # Made now, as float32, since the scaled loss may be another dtype.
            optimizer._rate.variable(self._train_program, "float32")

    def get_loss_scaling(self) -> Variable:
        """The variable that holds the loss scaling."""
        return self._loss_scaling

    def get_scaled_loss(self) -> Variable | None:
        """The loss times the factor; None before `backward`."""
        return self._scaled_loss

    def backward(
        self,
        loss: BaseVariable,
        startup_program: Program | None = None,
        parameter_list: Parameters = None,
        no_grad_set: Collection[BaseVariable | str] | None = None,
        callbacks: Sequence[Callable] | None = None,
    ) -> Pairs:
        """Rewrite the forward pass and append the backward pass.

        Returns:
            [(parameter, gradient)], unscaled.
        """
        if not isinstance(loss, Variable):
            raise DtypeError(f"minimize: loss must be a Variable of a program, got {type(loss).__name__}")
        if loss.block.program is not self._train_program:
            raise ArgumentError(
                "minimize: loss is in another program than the default one was when decorate was called; call decorate "
                "under the same fluid.program_guard"
            )
        with program_guard(self._train_program, startup_program):
            rewrite_program(self._train_program, self._amp_lists)
            self._scaled_loss = loss * self._loss_scaling
            pairs = self._optimizer.backward(self._scaled_loss, startup_program, parameter_list, no_grad_set, callbacks)
            cast_gradients_last(self._train_program, pairs)
            scaled = []
            for param, grad in pairs:
                with self._train_program._optimized_guard([param, grad]):
                    if grad.type == VarType.SELECTED_ROWS:  # which Fluid cannot divide; beside zeros it is dense
                        grad = sums([zeros_like(param), grad])
                    scaled.append((param, grad / self._loss_scaling))
        return scaled

    def apply_gradients(self, scaled_params_grads: Pairs) -> list[Operator]:
        """Append the updates; where the gradients of a step are not all finite, they count as zeros."""
        if self._use_dynamic_loss_scaling:
            self._watch([grad for _, grad in scaled_params_grads])
        return self._optimizer.apply_gradients(scaled_params_grads)

    def _watch(self, grads: list[Any]) -> None:
        finite = isfinite(reduce_sum(concat([reduce_sum(grad) for grad in grads])))
        update_loss_scaling(
            finite, self._loss_scaling, self._num_good_steps, self._num_bad_steps, self._incr_every_n_steps,
            self._decr_every_n_nan_or_inf, self._incr_ratio, self._decr_ratio,
        )  # fmt: skip
        with Switch() as switch:
            with switch.case(finite):
                pass
            with switch.default():
                for grad in grads:
                    assign(zeros_like(grad), grad)

    def minimize(
        self,
        loss: BaseVariable,
        startup_program: Program | None = None,
        parameter_list: Parameters = None,
        no_grad_set: Collection[BaseVariable | str] | None = None,
    ) -> tuple[Any, Pairs]:
        """(update operators, [(parameter, gradient)]) of the loss, which `get_scaled_loss` gives scaled."""
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        with program_guard(self._train_program, startup_program):
            return self.apply_gradients(pairs), pairs


def _state(name: str, value: float, dtype: str) -> Variable:
    return create_global_var([1], value, dtype, persistable=True, name=unique_name.generate(name))


def decorate(
    optimizer: Optimizer,
    amp_lists: AutoMixedPrecisionLists | None = None,
    init_loss_scaling: float = 2**15,
    incr_every_n_steps: int = 1000,
    decr_every_n_nan_or_inf: int = 2,
    incr_ratio: float = 2.0,
    decr_ratio: float = 0.8,
    use_dynamic_loss_scaling: bool = True,
) -> OptimizerWithMixedPrecision:
    """An optimizer like `optimizer` that computes products in float16; parameters and updates stay float32.

    Args:
        optimizer: what makes the updates.
        amp_lists: which operators compute in float16.
        init_loss_scaling: the loss is multiplied by this, and the gradients divided, so that they are not lost.
        incr_every_n_steps: the factor becomes incr_ratio times larger after more finite steps in a row than this.
        decr_every_n_nan_or_inf: and decr_ratio times as large (1 at the least) after more infinite ones than this.
        use_dynamic_loss_scaling: False keeps the factor.
    Example:
        optimizer = fluid.contrib.mixed_precision.decorate(fluid.optimizer.Adam(0.001), init_loss_scaling=8.0)
        optimizer.minimize(loss)
        scaled = optimizer.get_scaled_loss()
    """
    mode.current().demand_program(ModeError("decorate: mixed precision rewrites programs; it is of the static mode"))
    if not isinstance(optimizer, Optimizer):
        raise DtypeError(f"decorate: optimizer must be an optimizer, got {type(optimizer).__name__}")
    if amp_lists is not None and not isinstance(amp_lists, AutoMixedPrecisionLists):
        raise DtypeError(f"decorate: amp_lists must be an AutoMixedPrecisionLists, got {type(amp_lists).__name__}")
    return OptimizerWithMixedPrecision(
        optimizer, amp_lists or AutoMixedPrecisionLists(), init_loss_scaling, use_dynamic_loss_scaling,
        incr_every_n_steps, decr_every_n_nan_or_inf, incr_ratio, decr_ratio,
    )  # fmt: skip
