"""Optimizers with decoupled weight decay (Loshchilov and Hutter, 2017)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from refluid.core.errors import DtypeError
from refluid.core.mode import per_mode
from refluid.eager.base import no_grad
from refluid.eager.variable import VarBase
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.ops.math.elementwise import elementwise_sub
from refluid.ops.shape.assign import assign
from refluid.optim.clip import Pairs
from refluid.optim.optimizer import Optimizer, Parameters

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


class DecoupledWeightDecay:
    """A mixin in front of an optimizer: `minimize` first subtracts coeff times each parameter."""

    def __init__(
        self,
        coeff: float | BaseVariable = 0.0,
        apply_decay_param_fun: Callable[[str], bool] | None = None,
        **kwargs: object,
    ):
        if not isinstance(coeff, float | Variable | VarBase):
            raise DtypeError(f"weight_decay must be a float or a variable, got {type(coeff).__name__}")
        if apply_decay_param_fun is not None and not callable(apply_decay_param_fun):
            raise DtypeError(f"apply_decay_param_fun must be a function, got {type(apply_decay_param_fun).__name__}")
        self._coeff, self._apply_decay_param_fun = coeff, apply_decay_param_fun
        self._params_name: set[str] = set()
        super().__init__(**kwargs)

    def minimize(
        self: Any,
        loss: BaseVariable,
        startup_program: Program | None = None,
        parameter_list: Parameters = None,
        no_grad_set: Collection[BaseVariable | str] | None = None,
    ) -> tuple[Any, Pairs]:
        """As any optimizer's; decayed is what has a gradient and `apply_decay_param_fun(name)` accepts."""
        pairs = self.backward(
            loss=loss, startup_program=startup_program, parameter_list=parameter_list, no_grad_set=no_grad_set
        )
        decayed = [pair for pair in pairs if self._decays(*pair)]
        self._params_name.update(param.name for param, _ in decayed)
        DecoupledWeightDecay._decay.of(loss)(self, decayed, loss, startup_program)
        return self.apply_optimize(loss=loss, startup_program=startup_program, params_grads=pairs), pairs

    def _decays(self, param: BaseVariable, grad: BaseVariable) -> bool:
        if grad is None or (isinstance(self._coeff, float) and self._coeff == 0.0):
            return False
        return self._apply_decay_param_fun is None or self._apply_decay_param_fun(param.name)

    @per_mode
    def _decay(self, decayed: Pairs, loss: BaseVariable, startup_program: Program) -> None:
        with program_guard(loss.block.program, startup_program):
            self._append_decay(decayed)

    @_decay.imperative
    def _decay_now(self, decayed: Pairs, loss: BaseVariable, startup_program: Program) -> None:
        with no_grad():
            for param, _ in decayed:
                param._t.sub_(param._t * (self._coeff._t if isinstance(self._coeff, VarBase) else self._coeff))

    def _append_decay(self, decayed: Pairs) -> None:
        """All products come first, as in Fluid; then they are subtracted."""
        amounts = []
        for param, grad in decayed:
            program = param.block.program
            with program._optimized_guard([param, grad]), program.name_scope("weight decay"):
                amounts.append(param * self._coeff)
        for (param, grad), amount in zip(decayed, amounts, strict=True):
            program = param.block.program
            with program._optimized_guard([param, grad]), program.name_scope("weight decay"):
                assign(elementwise_sub(param, amount), outs={"Out": param})

    def __str__(self) -> str:
        return f"Weight Decay, params: {','.join(sorted(self._params_name))}"


def extend_with_decoupled_weight_decay(base_optimizer: type[Optimizer]) -> type[Optimizer]:
    """An optimizer class like `base_optimizer` with weight_decay (a float or a variable) as its first argument.

    Each step subtracts weight_decay times the parameter from it, whatever the gradient and the learning rate are.

    Example:
        >>> AdamW = extend_with_decoupled_weight_decay(fluid.optimizer.Adam)
        >>> cost = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 4]), size=1))
        >>> operators, gradients = AdamW(weight_decay=0.01, learning_rate=0.1).minimize(cost)
    """
    if not (isinstance(base_optimizer, type) and issubclass(base_optimizer, Optimizer)):
        raise DtypeError(
            f"extend_with_decoupled_weight_decay: base_optimizer must be a class of optimizers, got {base_optimizer!r}"
        )

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecay, base_optimizer):  # type: ignore[misc, valid-type]
        def __init__(self, weight_decay: Any, apply_decay_param_fun: Any = None, **kwargs: Any):
            super().__init__(weight_decay, apply_decay_param_fun, **kwargs)

    return OptimizerWithDecoupledWeightDecay
