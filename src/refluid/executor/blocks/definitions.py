"""The operators themselves: their slots and attributes. How they run is in the other files of this folder."""

from __future__ import annotations

from typing import Any

from refluid.ir.block import Block
from refluid.ops.registry import ControlFlow, Shape, Tensor, op

_BRANCHES = ControlFlow("branches", may_not_run=True)


@op("Out Scope", duplicable="Out Scope", dispensable="Scope", nograd="Cond Scope", control_flow=_BRANCHES)
def conditional_block(
    Cond: list[Tensor],
    Input: list[Tensor] | None = None,
    *,
    sub_block: Block,
    is_scalar_condition: bool = False,
    skip_eager_deletion_vars: list[str] = [],  # noqa: B006  # never changed
) -> None:
    """Run the block if the condition holds: the one element if scalar, else whether Cond is not empty."""
    raise NotImplementedError("conditional_block runs as part of a program")


@conditional_block.grad
def conditional_block_grad(
    Cond: list[Tensor],
    Input: list[Shape] | None,
    Out: list[Shape] | None,
    Out_grad: list[Tensor] | None,
    Scope: list[Tensor] | None,
    *,
    sub_block: Block,
    is_scalar_condition: bool = False,
    skip_eager_deletion_vars: list[str] = [],  # noqa: B006  # never changed
) -> None:
    """Run the gradient's block if the forward one ran; else the gradients are zeros."""
    raise NotImplementedError("conditional_block_grad runs as part of a program")


@op("Out Scope", duplicable="Out Scope", dispensable="Scope", nograd="*", control_flow=_BRANCHES)
def conditional_block_infer(
    Cond: list[Tensor],
    Input: list[Tensor] | None = None,
    *,
    sub_block: Block,
    is_scalar_condition: bool = False,
    skip_eager_deletion_vars: list[str] = [],  # noqa: B006  # never changed
) -> None:
    """conditional_block in programs for testing."""
    raise NotImplementedError("conditional_block_infer runs as part of a program")


@op(
    "Out StepScopes", type="while", duplicable="Out", nograd="Condition StepScopes",
    control_flow=ControlFlow("loops", carries="Out", may_not_run=True),
)  # fmt: skip
def while_loop(
    X: list[Tensor] | None,
    Condition: Tensor,
    *,
    sub_block: Block,
    is_test: bool = False,
    skip_eager_deletion_vars: list[str] = [],  # noqa: B006  # never changed
) -> None:
    """Run the block as long as the one element of Condition, which the block writes, is true."""
    raise NotImplementedError("while runs as part of a program")


@while_loop.grad
def while_grad(
    X: list[Shape] | None,
    Out: list[Shape] | None,
    Out_grad: list[Tensor] | None,
    StepScopes: Tensor,
    *,
    sub_block: Block,
    is_test: bool = False,
    original_output_grad: list[str] = [],  # noqa: B006  # never changed
    skip_eager_deletion_vars: list[str] = [],  # noqa: B006  # never changed
) -> None:
    """Run the gradient's block once for every iteration of the loop, the last one first.

    original_output_grad: what the block calls the gradients in Out@GRAD.
    """
    raise NotImplementedError("while_grad runs as part of a program")


@conditional_block.infer
@conditional_block_infer.infer
@while_loop.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [None, None]  # what a block writes is declared outside it
