"""Finding the operators before and after another, for passes over programs (contrib.mixed_precision.fp16_utils)."""

from __future__ import annotations

from typing import Any

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError
from refluid.ir.desc import BlockDesc, OpDesc
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.roles import ROLE_VAR, OpRole, has_role


def find_true_prev_op(ops: list[Operator], cur_op: Operator, var_name: str) -> Operator | None:
    """The operator before `cur_op` that writes a variable; None if there is none, an error if there are several."""
    found = [op for op in ops[: ops.index(cur_op)] if var_name in op.output_arg_names]
    if len(found) > 1:
        raise ArgumentError(f"find_true_prev_op: {len(found)} operators before {cur_op.type} write {var_name!r}")
    return found[0] if found else None


def find_true_post_op(ops: list[Operator], cur_op: Operator, var_name: str) -> list[Operator] | None:
    """The operators after `cur_op` that read a variable; None if there are none."""
    found = [op for op in ops[ops.index(cur_op) + 1 :] if var_name in op.input_arg_names]
    return found or None


def find_op_index(block_desc: BlockDesc, cur_op_desc: OpDesc) -> int:
    """The position of an operator in a block, both as descs; -1 if it is not there."""
    for position in range(block_desc.op_size()):
        if block_desc.op(position) == cur_op_desc:
            return position
    return -1


def update_role_var_grad(main_prog: Program, params_grads: list[tuple[Any, Any]]) -> None:
    """Note whose gradient it is on the operator that makes it in float16, not on the cast to float32 after that."""
    ops = main_prog.global_block().ops
    for _, grad in params_grads:
        cast = next((op for op in reversed(ops) if grad.name in op.output_arg_names), None)
        if cast is None or cast.type != "cast" or grad.dtype != VarType.FP32:
            continue
        noted = cast.attrs.pop(ROLE_VAR, None)
        if noted is None or not has_role(cast.attrs, OpRole.Backward):
            raise ArgumentError(
                f"update_role_var_grad: the cast to {grad.name!r} says of no parameter that it is its gradient"
            )
        before = find_true_prev_op(ops, cast, cast.input("X")[0])
        if before is not None:
            before.attrs[ROLE_VAR] = [noted[0], cast.input("X")[0]]
    main_prog.touch()
