"""Gradient clipping: one class for operators of a program and for gradients of the imperative mode."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, cast

import torch

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, NotDefinedError
from refluid.core.mode import per_mode
from refluid.core.warn import warn_once
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.roles import ROLE_VAR
from refluid.ir.variable import Variable
from refluid.layers.checks import number, number_or_text
from refluid.layers.creation import fill_constant
from refluid.ops.math.clip import clip, clip_by_norm
from refluid.ops.math.elementwise import elementwise_div, elementwise_max, elementwise_mul
from refluid.ops.math.reduce import reduce_sum
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.math.unary import sqrt, square
from refluid.ops.shape.selected_rows import get_tensor_from_selected_rows, merge_selected_rows
from refluid.tensor.selected_rows import SelectedRows, merged

Pairs: TypeAlias = list[tuple[Any, Any]]
"""[(parameter, gradient)] of either mode; the gradient may be None."""

Raw: TypeAlias = torch.Tensor | SelectedRows
"""The value of a gradient of the imperative mode, dense or sparse."""

NeedClip: TypeAlias = Callable[[Any], bool] | None


class GradientClipBase:
    """Base of gradient clips: called with [(parameter, gradient)], returns the same with clipped gradients.

    Args:
        need_clip: a function of a parameter that tells whether to clip its gradient; None for all.
    """

    one_by_one = True  # whether every gradient is clipped by itself

    def __init__(self, need_clip: NeedClip = None):
        if need_clip is not None and not callable(need_clip):
            raise DtypeError(f"{type(self).__name__}: need_clip must be a function, got {type(need_clip).__name__}")
        self._need_clip_func = need_clip

    def __call__(self, params_grads: Pairs) -> Pairs:
        first = next((grad for _, grad in params_grads if grad is not None), None)
        return _clip.of(first)(self, params_grads)

    def _static_clip(self, params_grads: Pairs) -> Pairs:
        """The clip of the static mode; classes that programs derive put their own here."""
        return self._clipped(params_grads)

    def _dygraph_clip(self, params_grads: Pairs) -> Pairs:
        """The clip of the imperative mode, likewise."""
        return self._clipped(params_grads)

    def _clipped(self, params_grads: Pairs) -> Pairs:
        result = [pair for pair in params_grads if pair[1] is not None]  # Fluid leaves out what has no gradient
        need_clip = self._need_clip_func
        chosen = [i for i, (param, _) in enumerate(result) if need_clip is None or need_clip(param)]
        if not chosen:
            return result if self.one_by_one else list(params_grads)
        pairs = [result[i] for i in chosen]
        grads = _clipped_grads.of(pairs[0][1])(self, pairs)
        for i, (param, _), grad in zip(chosen, pairs, grads, strict=True):
            result[i] = (param, grad)
        return result

    def _now(self, grads: list[Raw]) -> list[Raw]:
        """Raw gradients, dense or sparse, clipped."""
        raise NotDefinedError(f"{type(self).__name__} must define _now")

    def _append(self, pairs: Pairs) -> list[Variable]:
        """Operators that clip, under the name scope that the optimizer's own clip has in Fluid."""
        program = pairs[0][0].block.program
        with program.name_scope("gradient_clip"):
            first = len(program.current_block().ops)
            grads = self._operators(pairs)
        name_clipped(program.current_block().ops[first:], pairs, grads)
        return grads

    def _operators(self, pairs: Pairs) -> list[Variable]:
        """Per gradient one operator; clips that look at several gradients have their own way."""
        clipped = []
        for param, grad in pairs:
            with param.block.program._optimized_guard([param, grad]):
                clipped.append(alike(grad, self.clip_one(grad)))
        return clipped

    def clip_one(self, grad: Variable) -> Variable:
        raise NotDefinedError(f"{type(self).__name__} must define clip_one")


@per_mode
def _clip(clip: GradientClipBase, params_grads: Pairs) -> Pairs:
    return clip._static_clip(params_grads)


@_clip.imperative
def _clip_now(clip: GradientClipBase, params_grads: Pairs) -> Pairs:
    return clip._dygraph_clip(params_grads)


@per_mode
def _clipped_grads(clip: GradientClipBase, pairs: Pairs) -> list[Any]:
    return clip._append(pairs)


@_clipped_grads.imperative
def _clipped_grads_now(clip: GradientClipBase, pairs: Pairs) -> list[Any]:
    return [VarBase(cast(torch.Tensor, raw)) for raw in clip._now([grad._t for _, grad in pairs])]


class GradientClipByValue(GradientClipBase):
    """Clip every element of the gradients to [min, max].

    Args:
        max: the upper limit.
        min: the lower limit; -max if None.
        need_clip: a function of a parameter that tells whether to clip its gradient; None for all.
    """

    def __init__(self, max: float, min: float | None = None, need_clip: NeedClip = None):
        super().__init__(need_clip)
        self.max = number("GradientClipByValue: max", max)
        if min is None and self.max <= 0:
            raise ArgumentError(f"GradientClipByValue: max must be positive if min is not given, got {max}")
        self.min = -self.max if min is None else number("GradientClipByValue: min", min)
        if self.min > self.max:
            warn_once(f"GradientClipByValue: min {min} is above max {max}, so that every gradient is one of the two")

    def _now(self, grads: list[Raw]) -> list[Raw]:
        return [clip.kernel(grad, min=self.min, max=self.max) for grad in grads]

    def clip_one(self, grad: Variable) -> Variable:
        return clip(grad, min=self.min, max=self.max)

    def __str__(self) -> str:
        return f"Gradient Clip By Value, min = {self.min:f}, max={self.max:f}"


class GradientClipByNorm(GradientClipBase):
    """Scale each gradient by clip_norm / max(norm, clip_norm), norm being its own L2 norm.

    Args:
        clip_norm: the largest L2 norm of a gradient.
        need_clip: a function of a parameter that tells whether to clip its gradient; None for all.
    """

    def __init__(self, clip_norm: float, need_clip: NeedClip = None):
        super().__init__(need_clip)
        self.clip_norm = _limit("GradientClipByNorm", clip_norm)

    def _now(self, grads: list[Raw]) -> list[Raw]:
        return [clip_by_norm.kernel(grad, max_norm=self.clip_norm) for grad in grads]

    def clip_one(self, grad: Variable) -> Variable:
        return clip_by_norm(grad, max_norm=self.clip_norm)

    def __str__(self) -> str:
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"


class GradientClipByGlobalNorm(GradientClipBase):
    """Scale all gradients by clip_norm / max(norm, clip_norm), norm being the L2 norm of all of them together.

    Args:
        clip_norm: the largest global norm.
        group_name: with `set_gradient_clip` or ParamAttr, the parameters of one group share one global norm.
        need_clip: a function of a parameter that tells whether to clip its gradient; None for all.

    Example:
        >>> x = fluid.data("x", [None, 3])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, size=1))
        >>> clip = fluid.clip.GradientClipByGlobalNorm(clip_norm=1.0)
        >>> operators, _ = fluid.optimizer.SGD(0.1, grad_clip=clip).minimize(loss)
    """

    one_by_one = False

    def __init__(self, clip_norm: float, group_name: str = "default_group", need_clip: NeedClip = None):
        super().__init__(need_clip)
        self.clip_norm, self.group_name = _limit("GradientClipByGlobalNorm", clip_norm), group_name

    def _now(self, grads: list[Raw]) -> list[Raw]:
        whole = [merged(grad) if isinstance(grad, SelectedRows) else grad for grad in grads]
        values = [grad.value if isinstance(grad, SelectedRows) else grad for grad in whole]
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(values)))
        if norm.is_cpu and norm <= self.clip_norm:  # CUDA would have to wait for the number
            return list(whole)
        factor = self.clip_norm / torch.clamp_min(norm, self.clip_norm)
        scaled = torch._foreach_mul(values, factor)
        return [
            SelectedRows.of(grad.index, value, grad.n_rows) if isinstance(grad, SelectedRows) else value
            for grad, value in zip(whole, scaled, strict=True)
        ]

    def _operators(self, pairs: Pairs) -> list[Variable]:
        squares = []
        for param, grad in pairs:
            with param.block.program._optimized_guard([param, grad]):
                squares.append(squared_norm(grad))
        with param.block.program._optimized_guard([param, grad]):
            norm = sqrt(sum_op(squares))
            factor = self.factor(fill_constant([1], norm.dtype, self.clip_norm), norm)
        scaled = []
        for param, grad in pairs:
            with param.block.program._optimized_guard([param, grad]):
                scaled.append(alike(grad, elementwise_mul(grad, factor)))
        return scaled

    @staticmethod
    def factor(limit: BaseVariable, norm: BaseVariable) -> BaseVariable:
        return elementwise_div(limit, elementwise_max(limit, norm))

    def __str__(self) -> str:
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"


def _limit(what: str, clip_norm: object) -> float:
    limit = number_or_text(f"{what}: clip_norm", clip_norm)
    if not limit > 0:
        warn_once(f"{what}: clip_norm is {clip_norm!r}; a norm is positive")
    return limit


def alike(grad: Variable, clipped: Variable) -> Variable:
    """A sparse gradient stays sparse when it is clipped."""
    clipped.type = grad.type
    return clipped


def squared_norm(grad: Variable) -> Variable:
    if grad.type == VarType.SELECTED_ROWS:
        grad = get_tensor_from_selected_rows(alike(grad, merge_selected_rows(grad)))
    return reduce_sum(square(grad), dim=[0], reduce_all=True, keep_dim=False)


def name_clipped(ops: list[Operator], pairs: Pairs, grads: list[Variable]) -> None:
    """What clips the gradient of a parameter bears the name of the clipped one; the transpilers look for this."""
    clipped = {param.name: grad.name for (param, _), grad in zip(pairs, grads, strict=True)}
    for op in ops:
        role_var = op.attrs.get(ROLE_VAR)
        if role_var and role_var[0] in clipped:
            op.attrs[ROLE_VAR] = [role_var[0], clipped[role_var[0]]]


def set_gradient_clip(
    clip: GradientClipBase, param_list: Iterable[Variable | str] | None = None, program: Program | None = None
) -> None:
    """Clip the gradients of parameters where the optimizer has no grad_clip.

    Programs of 1.4 to 1.7 use it; `grad_clip=` of the optimizer takes its place.

    Args:
        clip: a GradientClip... object; each parameter keeps a copy of it.
        param_list: parameters or their names; all of the program if None.
        program: the program that holds them; the default main program if None.

    Returns:
        None.

    Example:
        >>> import warnings
        >>> x = fluid.data("x", [None, 3])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, size=1))
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     fluid.clip.set_gradient_clip(fluid.clip.GradientClipByNorm(clip_norm=2.0))
        >>> _ = fluid.optimizer.SGD(0.1).minimize(loss)
        >>> sum(op.type == "clip_by_norm" for op in fluid.default_main_program().global_block().ops)
        2
    """
    if not isinstance(clip, GradientClipBase):
        raise DtypeError(f"set_gradient_clip: clip must be a GradientClip..., got {type(clip).__name__}")
    warnings.warn("set_gradient_clip is deprecated; use grad_clip= of the optimizer", stacklevel=2)
    program = programs.default_main_program() if program is None else program
    chosen: list[Any] = program.all_parameters() if param_list is None else list(param_list)
    for param in chosen:
        var: Any = program.global_block().var(param) if isinstance(param, str) else param
        var.gradient_clip_attr = copy.deepcopy(clip)


def check_clip(grad_clip: object, owner: str = "minimize") -> None:
    if grad_clip is not None and not isinstance(grad_clip, GradientClipBase):
        raise DtypeError(f"{owner}: grad_clip must be a GradientClip... of fluid.clip, got {type(grad_clip).__name__}")
