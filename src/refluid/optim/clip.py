"""Gradient clipping: one class for operators of a program and for gradients of the imperative mode."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import torch

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.warn import warn_once
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.program import Program
from refluid.ir.roles import ROLE_VAR
from refluid.ir.variable import Variable
from refluid.layers.creation import fill_constant
from refluid.layers.numbers import number
from refluid.ops.math.clip import clip, clip_by_norm
from refluid.ops.math.elementwise import elementwise_div, elementwise_max, elementwise_mul
from refluid.ops.math.reduce import reduce_sum
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.math.unary import sqrt, square
from refluid.ops.shape.selected_rows import get_tensor_from_selected_rows, merge_selected_rows
from refluid.tensor.selected_rows import SelectedRows, merged

Pairs = list[tuple[Any, Any]]


class GradientClipBase:
    """Base: called with [(parameter, gradient)], gives the same with clipped gradients.

    Args:
        need_clip: a function of a parameter that tells whether to clip its gradient; all by default.
    """

    one_by_one = True  # whether every gradient is clipped by itself

    def __init__(self, need_clip: Callable[[Any], bool] | None = None):
        if need_clip is not None and not callable(need_clip):
            raise DtypeError(f"{type(self).__name__}: need_clip must be a function, got {type(need_clip).__name__}")
        self._need_clip_func = need_clip

    def __call__(self, params_grads: Pairs) -> Pairs:
        imperative = any(isinstance(grad, VarBase) for _, grad in params_grads)
        return self._dygraph_clip(params_grads) if imperative else self._static_clip(params_grads)

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
        if isinstance(pairs[0][1], VarBase):
            grads: list[Any] = [VarBase(t) for t in self._now([grad._t for _, grad in pairs])]
        else:
            grads = self._append(pairs)
        for i, (param, _), grad in zip(chosen, pairs, grads, strict=True):
            result[i] = (param, grad)
        return result

    def _now(self, grads: list[Any]) -> list[Any]:
        """Raw gradients, dense or sparse, clipped."""
        raise NotImplementedError(f"{type(self).__name__} must define _now")

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

    def clip_one(self, grad: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define clip_one")


class GradientClipByValue(GradientClipBase):
    """Every element between min and max; min is -max by default."""

    def __init__(self, max: float, min: float | None = None, need_clip: Any = None):
        super().__init__(need_clip)
        self.max = number("GradientClipByValue: max", max)
        if min is None and self.max <= 0:
            raise ArgumentError(f"GradientClipByValue: max must be positive if min is not given, got {max}")
        self.min = -self.max if min is None else number("GradientClipByValue: min", min)
        if self.min > self.max:
            warn_once(f"GradientClipByValue: min {min} is above max {max}, so that every gradient is one of the two")

    def _now(self, grads: list[Any]) -> list[Any]:
        return [clip.kernel(grad, min=self.min, max=self.max) for grad in grads]

    def clip_one(self, grad: Any) -> Any:
        return clip(grad, min=self.min, max=self.max)

    def __str__(self) -> str:
        return f"Gradient Clip By Value, min = {self.min:f}, max={self.max:f}"


class GradientClipByNorm(GradientClipBase):
    """Each gradient scaled down to the norm clip_norm if its own is greater."""

    def __init__(self, clip_norm: float, need_clip: Any = None):
        super().__init__(need_clip)
        self.clip_norm = _limit("GradientClipByNorm", clip_norm)

    def _now(self, grads: list[Any]) -> list[Any]:
        return [clip_by_norm.kernel(grad, max_norm=self.clip_norm) for grad in grads]

    def clip_one(self, grad: Any) -> Any:
        return clip_by_norm(grad, max_norm=self.clip_norm)

    def __str__(self) -> str:
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"


class GradientClipByGlobalNorm(GradientClipBase):
    """All gradients scaled by one factor, so that the norm of all together is at most clip_norm.

    Args:
        group_name: where parameters have clips of their own, those of one group are taken together.
    """

    one_by_one = False

    def __init__(self, clip_norm: float, group_name: str = "default_group", need_clip: Any = None):
        super().__init__(need_clip)
        self.clip_norm, self.group_name = _limit("GradientClipByGlobalNorm", clip_norm), group_name

    def _now(self, grads: list[Any]) -> list[Any]:
        whole = [merged(grad) if isinstance(grad, SelectedRows) else grad for grad in grads]
        values = [grad.value if isinstance(grad, SelectedRows) else grad for grad in whole]
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(values)))
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
    def factor(limit: Any, norm: Any) -> Any:
        return elementwise_div(limit, elementwise_max(limit, norm))

    def __str__(self) -> str:
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"


def _limit(what: str, clip_norm: Any) -> float:
    limit = number(f"{what}: clip_norm", clip_norm)
    if not limit > 0:
        warn_once(f"{what}: clip_norm is {clip_norm!r}; a norm is positive")
    return limit


def alike(grad: Any, clipped: Any) -> Any:
    """A sparse gradient stays sparse when it is clipped."""
    clipped.type = grad.type
    return clipped


def squared_norm(grad: Any) -> Any:
    if grad.type == VarType.SELECTED_ROWS:
        grad = get_tensor_from_selected_rows(alike(grad, merge_selected_rows(grad)))
    return reduce_sum(square(grad), dim=[0], reduce_all=True, keep_dim=False)


def name_clipped(ops: list[Any], pairs: Pairs, grads: list[Variable]) -> None:
    """What clips the gradient of a parameter bears the name of the clipped one; the transpilers look for this."""
    clipped = {param.name: grad.name for (param, _), grad in zip(pairs, grads, strict=True)}
    for op in ops:
        role_var = op.attrs.get(ROLE_VAR)
        if role_var and role_var[0] in clipped:
            op.attrs[ROLE_VAR] = [role_var[0], clipped[role_var[0]]]


def set_gradient_clip(clip: Any, param_list: list[Any] | None = None, program: Program | None = None) -> None:
    """Clip the gradients of these parameters (all of the program by default) where the optimizer has no grad_clip.

    The way of 1.4 to 1.7; `grad_clip=` of the optimizer is the later one.
    """
    if not isinstance(clip, GradientClipBase):
        raise DtypeError(f"set_gradient_clip: clip must be a GradientClip..., got {type(clip).__name__}")
    warnings.warn("set_gradient_clip is the older way; grad_clip= of the optimizer takes its place", stacklevel=2)
    program = programs.default_main_program() if program is None else program
    chosen: list[Any] = program.all_parameters() if param_list is None else list(param_list)
    for param in chosen:
        found: Any = program.global_block().var(param) if isinstance(param, str) else param
        found.gradient_clip_attr = copy.deepcopy(clip)


def check_clip(grad_clip: Any) -> None:
    if grad_clip is not None and not isinstance(grad_clip, GradientClipBase):
        raise DtypeError(f"grad_clip must be a GradientClip... of fluid.clip, got {type(grad_clip).__name__}")
