"""Helpers about gradients and their names that Fluid's modules share (paddle.fluid.backward)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError
from refluid.core.reserved import grad_var_name, strip_grad_suffix
from refluid.ir.block import Block
from refluid.ir.variable import Variable


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def _append_grad_suffix_(name: str | bytes) -> str:
    """x becomes x@GRAD."""
    return grad_var_name(_text(name))


def _strip_grad_suffix_(name: str | bytes) -> str:
    """x@GRAD, and x@GRAD@RENAME@block0@1, become x."""
    return strip_grad_suffix(_text(name))


def _some_in_set_(cands: Iterable[Any], s: Iterable[Any]) -> bool:
    """Whether any of the candidates is in the set; names may be str or bytes."""
    return not {_text(one) for one in cands}.isdisjoint(_text(one) for one in s)


def _all_in_set_(cands: Iterable[Any], s: Iterable[Any]) -> bool:
    """Whether there are candidates and all of them are in the set."""
    wanted = {_text(one) for one in cands}
    return bool(wanted) and wanted <= {_text(one) for one in s}


def _get_no_grad_set_name(no_grad_set: Any) -> set[str]:
    """The names in what `append_backward` takes as no_grad_set: variables or names."""
    if no_grad_set is None:
        return set()
    if not isinstance(no_grad_set, set | list | tuple):
        raise ArgumentError(f"no_grad_set must be a set, a list or a tuple, got {type(no_grad_set).__name__}")
    for one in no_grad_set:
        if not isinstance(one, Variable | str):
            raise ArgumentError(f"no_grad_set must hold variables or names, got {type(one).__name__}")
    return {one if isinstance(one, str) else one.name for one in no_grad_set}


def _infer_var_data_type_shape_(grad_var_name: str, block: Block) -> None:
    """Give a gradient the dtype and the shape of what it is the gradient of; float32 if that is gone."""
    grad, forward = block.var(grad_var_name), block.find_var(strip_grad_suffix(grad_var_name))
    if forward is None:
        grad.dtype = VarType.FP32
    else:
        grad.dtype, grad.shape = forward.dtype, forward.shape
