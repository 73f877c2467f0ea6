"""Helpers about gradients and their names that Fluid's modules share (paddle.fluid.backward)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, NotFoundError
from refluid.core.reserved import GRAD_VAR_SUFFIX, grad_var_name, strip_grad_suffix
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.prune import needed_ops
from refluid.ir.roles import OpRole, has_role
from refluid.ir.variable import Variable

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


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


def _get_no_grad_set_name(no_grad_set: Collection[BaseVariable | str]) -> set[str]:
    """The names in what `append_backward` takes as no_grad_set: variables or names."""
    if no_grad_set is None:
        return set()
    if not isinstance(no_grad_set, set | list | tuple):
        raise ArgumentError(f"no_grad_set must be a set, a list or a tuple, got {type(no_grad_set).__name__}")
    for entry in no_grad_set:
        if not isinstance(entry, Variable | str):
            raise ArgumentError(f"no_grad_set must hold variables or names, got {type(entry).__name__}")
    return {entry if isinstance(entry, str) else entry.name for entry in no_grad_set}


def _infer_var_data_type_shape_(grad_var_name: str, block: Block) -> None:
    """Give a gradient the dtype and the shape of its variable; float32 if that does not exist any more."""
    grad, forward = block.var(grad_var_name), block.find_var(strip_grad_suffix(grad_var_name))
    if forward is None:
        grad.dtype = VarType.FP32
    else:
        grad.dtype, grad.shape = forward.dtype, forward.shape


def _is_grad_op_(op: Operator) -> bool:
    """Whether an operator belongs to the backward pass."""
    return has_role(op.attrs, OpRole.Backward)


def _is_grad_var_(var_name: str) -> bool:
    return GRAD_VAR_SUFFIX in var_name


def _find_loss_op_(loss: Variable) -> None:
    """Let `loss.op` be the last operator that writes the loss."""
    writers = [op for op in loss.block.ops if loss.name in op.output_arg_names]
    if not writers:
        raise NotFoundError(f"_find_loss_op_: no operator of the program writes {loss.name!r}")
    loss.op = writers[-1]


def _rename_arg_(
    op_descs: list[Any], old_name: str, new_name: str, begin_idx: int = 0, end_idx: int | None = None
) -> None:
    """Give a variable another name in some of the operators, which are descs."""
    for desc in op_descs[begin_idx:end_idx]:
        desc._rename_input(old_name, new_name)
        desc._rename_output(old_name, new_name)


def _find_op_path_(
    block: Block, outputs: Iterable[Variable], inputs: Iterable[Variable], no_grad_set: Iterable[str], *_: object
) -> list[Operator]:
    """The operators that the outputs need; with inputs, those of them that depend on an input, in order."""
    needed = needed_ops(block.ops, {var.name for var in outputs}, set())
    stopped, reached = set(no_grad_set), {var.name for var in inputs}
    if not reached:
        return needed
    path = []
    for op in needed:
        if not reached.isdisjoint(op.input_arg_names):
            path.append(op)
            reached |= set(op.output_arg_names) - stopped
    return path
