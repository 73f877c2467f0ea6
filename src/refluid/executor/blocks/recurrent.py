"""recurrent, the operator of StaticRNN: its slots and attributes, and what its loop calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ir.block import Block
from refluid.ops.registry import ControlFlow, Shape, Tensor, op


@op("outputs step_scopes", duplicable="outputs", nograd="step_scopes", control_flow=ControlFlow("recurrences"))
def recurrent(
    inputs: list[Tensor] | None,
    initial_states: list[Tensor] | None,
    parameters: list[Tensor] | None,
    *,
    has_states: bool = False,
    ex_states: list[str] = [],  # noqa: B006  # never changed
    states: list[str] = [],  # noqa: B006  # never changed
    sub_block: Block,
    reverse: bool = False,
    is_train: bool = True,
    skip_eager_deletion_vars: list[str] = [],  # noqa: B006  # never changed
) -> None:
    """Run the block once for every element of the inputs' first axis.

    Inside, an input's name means its element, an output's name what the iteration adds to it. What the block writes
    under a name of `states` the next iteration reads under the name of `ex_states`, the first iteration the initial
    state.
    """
    raise NotImplementedError("recurrent runs as part of a program")


@recurrent.grad
def recurrent_grad(
    inputs: list[Shape] | None,
    initial_states: list[Shape] | None,
    parameters: list[Shape] | None,
    outputs: list[Shape] | None,
    outputs_grad: list[Tensor] | None,
    step_scopes: Tensor,
    step_scopes_grad: Tensor | None,
    *,
    has_states: bool = False,
    ex_states: list[str] = [],  # noqa: B006  # never changed
    states: list[str] = [],  # noqa: B006  # never changed
    sub_block: Block,
    reverse: bool = False,
    is_train: bool = True,
    skip_eager_deletion_vars: list[str] = [],  # noqa: B006  # never changed
) -> None:
    """Run the gradient's block once for every iteration, the last one first."""
    raise NotImplementedError("recurrent_grad runs as part of a program")


@recurrent.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [None, None]  # the layer declares the outputs, from what the block writes


def elements(inputs: list[Tensor], names: list[str], reverse: bool) -> Iterable[tuple[Tensor, ...]]:
    """The elements of the inputs' first axes, one tuple for every iteration."""
    if len({x.shape[0] for x in inputs}) > 1:
        listed = ", ".join(f"{name} {list(x.shape)}" for name, x in zip(names, inputs, strict=True))
        raise ShapeError(f"the inputs must have the same first axis, got {listed}")
    if inputs[0].shape[0] == 0:
        raise ShapeError(f"{names[0]} has no element on its first axis, so there is nothing to run")
    unbound = [x.unbind(0) for x in inputs]
    return zip(*(reversed(parts) for parts in unbound), strict=True) if reverse else zip(*unbound, strict=True)


def joined(parts: list[Tensor], backwards: bool) -> Tensor:
    """What the iterations gave, along a new first axis."""
    return torch.stack(parts[::-1] if backwards else parts)


def separated(whole: Tensor, backwards: bool) -> list[Tensor]:
    """The elements of the first axis in the order of the iterations."""
    parts = list(whole.unbind(0))
    return parts[::-1] if backwards else parts
