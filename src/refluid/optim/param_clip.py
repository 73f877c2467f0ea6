"""Clipping by what each parameter asks for: ParamAttr(gradient_clip=...) and set_gradient_clip."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.mode import per_mode
from refluid.ir.base_variable import BaseVariable
from refluid.ir.variable import Variable
from refluid.layers.creation import fill_constant
from refluid.ops.math.elementwise import elementwise_mul
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.math.unary import sqrt
from refluid.optim.clip import (
    GradientClipBase,
    GradientClipByGlobalNorm,
    Pairs,
    alike,
    check_clip,
    name_clipped,
    squared_norm,
)

_FIRST, _SECOND = "gradient_clip_@CLIP", "graident_clip_@CLIP"  # the name scopes, as Fluid spells them


def clip_by_parameter(params_grads: Pairs) -> Pairs:
    """Clip the gradients of those parameters that have a gradient_clip of their own.

    Args:
        params_grads: pairs (parameter, gradient).

    Returns:
        The pairs that have a gradient, with the clipped gradients.
    """
    pairs = [(p, g) for p, g in params_grads if g is not None and p.gradient_clip_attr is not None]
    if not pairs:
        return params_grads
    for param, _ in pairs:
        check_clip(param.gradient_clip_attr)
    groups = _groups(pairs)
    clipped = _clipped.of(pairs[0][1])(pairs, groups)
    return [(p, clipped.get(p.name, g)) for p, g in params_grads if g is not None]


def _groups(pairs: Pairs) -> dict[str, Pairs]:
    """Parameters that are clipped by one global norm, by the name of their group."""
    groups: dict[str, Pairs] = {}
    for param, grad in pairs:
        clip = param.gradient_clip_attr
        if isinstance(clip, GradientClipByGlobalNorm):
            group = groups.setdefault(clip.group_name, [])
            group.append((param, grad))
            first = group[0][0].gradient_clip_attr
            if first.clip_norm != clip.clip_norm:
                raise ArgumentError(
                    f"gradient_clip: the parameters of group {clip.group_name!r} must have one clip_norm, "
                    f"got {first.clip_norm} and {clip.clip_norm}"
                )
    return groups


@per_mode
def _clipped(pairs: Pairs, groups: dict[str, Pairs]) -> dict[str, Any]:
    program = pairs[0][0].block.program
    block = program.current_block()
    limits: dict[str, BaseVariable] = {}
    squares: dict[str, list[BaseVariable]] = {}
    first = len(block.ops)
    for param, grad in pairs:
        clip = param.gradient_clip_attr
        if isinstance(clip, GradientClipByGlobalNorm):
            with program._optimized_guard([param, grad]), program.name_scope(_FIRST):
                if clip.group_name not in limits:
                    limits[clip.group_name] = fill_constant([1], "float32", clip.clip_norm)
                squares.setdefault(clip.group_name, []).append(squared_norm(grad))
    measured = block.ops[first:]
    factors: dict[str, BaseVariable] = {}
    clipped: dict[str, Variable] = {}
    for param, grad in pairs:
        with program._optimized_guard([param, grad]), program.name_scope(_SECOND):
            clipped[param.name] = _append_one(param.gradient_clip_attr, grad, limits, squares, factors)
    name_clipped(measured, pairs, list(clipped.values()))
    return clipped


@_clipped.imperative
def _now(pairs: Pairs, groups: dict[str, Pairs]) -> dict[str, Any]:
    alone = [[pair] for pair in pairs if not isinstance(pair[0].gradient_clip_attr, GradientClipByGlobalNorm)]
    return {
        param.name: grad
        for group in (*alone, *groups.values())
        for param, grad in group[0][0].gradient_clip_attr(group)
    }


def _append_one(clip: GradientClipBase, grad: Variable, limits: dict, squares: dict, factors: dict) -> Variable:
    if not isinstance(clip, GradientClipByGlobalNorm):
        return alike(grad, clip.clip_one(grad))
    name = clip.group_name
    if name not in factors:
        factors[name] = clip.factor(limits[name], sqrt(sum_op(squares[name])))
    return alike(grad, elementwise_mul(grad, factors[name]))
