"""fused_elemwise_activation: a sum or product with an activation before or after it."""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.core.errors import ArgumentError
from refluid.ops.math import broadcasting
from refluid.ops.registry import FLOATS, Tensor, op

BINARY: dict[str, Callable[[Tensor, Tensor], Tensor]] = {"elementwise_add": torch.add, "elementwise_mul": torch.mul}
UNARY: dict[str, Callable[[Tensor, float], Tensor]] = {
    "scale": lambda x, scale: x * scale,
    "relu": lambda x, _: torch.relu(x),
    "tanh": lambda x, _: torch.tanh(x),
    "sigmoid": lambda x, _: torch.sigmoid(x),
}


@op("Out IntermediateOut", intermediate="IntermediateOut", dispensable="IntermediateOut",
    dtypes={"X": FLOATS, "Y": FLOATS}, grad_keeps="IntermediateOut Out")  # fmt: skip
def fused_elemwise_activation(
    X: Tensor,
    Y: Tensor,
    *,
    functor_list: list[str],
    axis: int = -1,
    scale: float = 0.0,
    save_intermediate_out: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """[binary, unary]: Out = binary(X, unary(Y)); [unary, binary]: Out = unary(binary(X, Y)).

    IntermediateOut is the result of the inner function, if it is to be saved. Y is broadcast to X from `axis` on.
    """
    outer, inner = _check(functor_list)
    if outer in BINARY:
        inner_result = UNARY[inner](Y, scale)
        out = broadcasting.apply(BINARY[outer], X, inner_result, axis)
    else:
        inner_result = broadcasting.apply(BINARY[inner], X, Y, axis)
        out = UNARY[outer](inner_result, scale)
    return out, inner_result if save_intermediate_out else None


def _check(functors: list[str]) -> list[str]:
    names = [name.removesuffix("_grad") for name in functors]  # which Fluid puts there for the gradient
    if len(names) == 2 and (names[0] in BINARY) != (names[1] in BINARY) and set(names) & UNARY.keys():
        return names
    raise ArgumentError(
        f"functor_list must be one of {', '.join(BINARY)} and one of {', '.join(UNARY)} in either order, got {functors}"
    )
