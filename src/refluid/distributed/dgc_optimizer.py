"""DGCMomentumOptimizer: momentum whose gradients are compressed before they are exchanged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from refluid.core import mode
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, ModeError
from refluid.core.generations import generations, older
from refluid.distributed.dgc import L1, L2, dgc_momentum
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.roles import ROLE, ROLE_VAR, OpRole
from refluid.layers.helper import LayerHelper
from refluid.optim.clip import GradientClipBase, GradientClipByNorm, Pairs
from refluid.optim.momentum import MomentumOptimizer
from refluid.optim.optimizer import Parameters, Rate
from refluid.optim.regularizer import L1Decay, L2Decay, WeightDecayRegularizer, regularize
from refluid.optim.update import Update
from refluid.params.initializer import Constant

if TYPE_CHECKING:
    from refluid.ir.block import Block
    from refluid.ir.operator import Operator
    from refluid.ir.variable import Variable

_FEWEST = 16384  # elements from which compressing pays
_COUNTER = "__g_dgc_counter__"


def _clips_to_a_norm(args: tuple, kwargs: dict[str, Any]) -> bool:
    """Whether local_grad_clip_norm is given, or use_nesterov stands in the place of parameter_list."""
    return "local_grad_clip_norm" in kwargs or (len(args) > 6 and isinstance(args[6], bool))


class DGCMomentumOptimizer(MomentumOptimizer):
    """Deep gradient compression: momentum over several trainers that exchange only the largest gradient elements.

    Gradients of float32 parameters with 16,384 elements or more are compressed, the others summed as they are.

    Args:
        learning_rate: a number or a float32 variable of shape [1].
        momentum: decay rate of the velocity.
        rampup_begin_step: plain momentum before this step.
        rampup_step: the number of steps over which `sparsity` goes through its stages.
        sparsity: the fractions of elements that are not sent, by stage: 0.999 sends one in a thousand.
        parameter_list: the parameters to update; None means all trainable ones of the program.
        use_nesterov: use Nesterov momentum.
        num_trainers: the number of trainers; needed with grad_clip.
        regularization: L1Decay or L2Decay for the parameters whose ParamAttr has no regularizer.
        grad_clip: a GradientClipByNorm; its norm is divided by sqrt(num_trainers), as every trainer clips its own
            gradients.
        name: part of the names of the accumulators.
    """

    type = "dgc_momentum"
    _velocity_acc_str = "_dgc_u_"

    @generations
    def __init__(
        self,
        learning_rate: Rate,
        momentum: float,
        rampup_begin_step: int,
        rampup_step: int = 1,
        sparsity: Sequence[float] = (0.999,),
        parameter_list: Parameters = None,
        use_nesterov: bool = False,
        num_trainers: int | None = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: GradientClipBase | None = None,
        name: str | None = None,
    ):
        mode.current().demand_program(
            ModeError("DGCMomentumOptimizer: it works on programs; the imperative mode is on")
        )
        if rampup_begin_step < 0:
            raise ArgumentError(f"DGCMomentumOptimizer: rampup_begin_step must be 0 or more, got {rampup_begin_step}")
        if grad_clip is not None and not (isinstance(grad_clip, GradientClipByNorm) and num_trainers):
            raise ArgumentError("DGCMomentumOptimizer: grad_clip must be a GradientClipByNorm, with num_trainers given")
        if not isinstance(regularization, L1Decay | L2Decay | None):
            raise ArgumentError("DGCMomentumOptimizer: regularization must be L1Decay or L2Decay")
        super().__init__(
            learning_rate, momentum, parameter_list, use_nesterov, regularization, grad_clip, name,
        )  # fmt: skip
        self._rampup = {"rampup_begin_step": float(rampup_begin_step), "rampup_step": float(rampup_step)}
        self._sparsity = list(sparsity)
        self._max_norm = None if grad_clip is None else grad_clip.clip_norm * (num_trainers or 1) ** -0.5
        self._compressed: set[str] = set()
        self._counter: BaseVariable | None = None

    @older(__init__, before="1.8", when=_clips_to_a_norm)
    def _init_1_5(
        self, learning_rate: Rate, momentum: float, rampup_begin_step: int, rampup_step: int = 1,
        sparsity: Sequence[float] = (0.999,), use_nesterov: bool = False, local_grad_clip_norm: float | None = None,
        num_trainers: int | None = None, regularization: WeightDecayRegularizer | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        """The norm to clip to is a number."""
        clip = None if local_grad_clip_norm is None else GradientClipByNorm(local_grad_clip_norm)
        DGCMomentumOptimizer.__init__(
            self, learning_rate, momentum, rampup_begin_step, rampup_step, sparsity, None, use_nesterov, num_trainers,
            regularization, clip, name,
        )  # fmt: skip

    def apply_gradients(self, params_grads: Pairs) -> list[Operator]:
        pairs = sorted(params_grads, key=lambda pair: pair[0].name)
        large = [pair for pair in pairs if _is_large(*pair)]
        small = [pair for pair in pairs if not _is_large(*pair)]
        program = programs.default_main_program()
        self._compressed = {param.name for param, _ in large}
        self._create_accumulators(program.global_block(), [param for param, _ in pairs])
        if large:
            program._enable_dgc = True  # type: ignore[attr-defined]  # as Fluid marks such programs
            self._counter = _step_counter()
        for param, grad in large:
            self._compress(param, grad)
        small = self._clip(small)
        with program.name_scope("regularization"):
            small = regularize(small, self.regularization)
        return self._append_updates(program, sorted([*small, *large], key=lambda pair: pair[0].name))

    def _create_accumulators(self, block: Block, parameters: Sequence[BaseVariable]) -> None:
        super()._create_accumulators(block, parameters)
        for param in parameters:
            if param.name in self._compressed:
                self._add_accumulator("_dgc_v_", param)

    def _compress(self, param: BaseVariable, grad: Variable) -> None:
        """The gradient becomes what is sent; trainers sum that, and no longer the gradient itself."""
        block = grad.block
        for op in block.ops:
            names = op.attrs.get(ROLE_VAR) or []
            if op.attrs.get(ROLE) == OpRole.Backward and grad.name in names:
                index = names.index(grad.name)
                op.attrs[ROLE_VAR] = [*names[: index - 1], *names[index + 1 :]]
        role = {ROLE: OpRole.Backward}
        if self._max_norm is not None:
            block.append_op(
                "dgc_clip_by_norm", {"X": grad, "current_step": self._counter}, {"Out": grad},
                {"max_norm": self._max_norm, "rampup_begin_step": self._rampup["rampup_begin_step"], **role},
            )  # fmt: skip
        u, v = self._get_accumulator("_dgc_u_", param), self._get_accumulator("_dgc_v_", param)
        k = block.create_var(name=f"{param.name}__dgc_k__", shape=[1], dtype=param.dtype)
        block.append_op(
            "dgc", {"U": u, "V": v, "Grad": grad, "Param": param, "current_step": self._counter},
            {"U_out": u, "V_out": v, "Grad_out": grad, "k": k},
            {"m": self._momentum, "use_nesterov": self._use_nesterov, "sparsity": self._sparsity, **self._rampup,
             **self._regular(), **role, ROLE_VAR: [param.name, grad.name]},
        )  # fmt: skip
        grad.type = VarType.SELECTED_ROWS

    def _regular(self) -> dict[str, Any]:
        decay = self.regularization
        if not isinstance(decay, L1Decay | L2Decay):
            return {}
        kind = L1 if isinstance(decay, L1Decay) else L2
        return {"regular_type": kind, "regular_coeff": float(decay._regularization_coeff)}

    def _update(self, param: BaseVariable, grad: BaseVariable, lr: BaseVariable) -> Update:
        if param.name not in self._compressed:
            return super()._update(param, grad, lr)
        inputs = {
            "Param": param, "Grad": grad, "Velocity": self._get_accumulator("_dgc_u_", param), "LearningRate": lr,
            "current_step": self._counter,
        }  # fmt: skip
        attrs = {"mu": self._momentum, "use_nesterov": self._use_nesterov}
        return Update(dgc_momentum, inputs, {**attrs, "rampup_begin_step": self._rampup["rampup_begin_step"]})


def _is_large(param: BaseVariable, grad: BaseVariable) -> bool:
    dense = VarType.SELECTED_ROWS not in (param.type, grad.type)
    return dense and param.dtype == VarType.FP32 and abs(math.prod(param.shape)) >= _FEWEST


def _step_counter() -> BaseVariable:
    """Counts runs from 0; one for all optimizers of a program."""
    helper = LayerHelper("global_step_counter")
    counter, is_new = helper.create_or_get_global_variable(name=_COUNTER, dtype="float32", shape=[1], persistable=True)
    if is_new:
        helper.set_variable_initializer(counter, Constant(-1.0))
        block = helper.main_program.global_block()
        block._prepend_op("increment", {"X": [counter]}, {"Out": [counter]}, {"step": 1.0})
        counter.stop_gradient = True
    return counter
