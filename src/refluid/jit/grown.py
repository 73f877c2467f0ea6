"""A list that grew in a loop over tensors, as a result: a list of Python again, as long as the run made it.

The program stacks the elements, so they must be of one shape; what comes out is taken apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.eager.variable import VarBase
from refluid.ir.variable import Variable
from refluid.jit.runtime.arrays import TensorArray
from refluid.jit.runtime.branches import choose
from refluid.jit.runtime.promote import zeros_like_spec
from refluid.ops.shape.stack import unstack

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class Grown:
    """The elements in one tensor, and how many there are."""

    def __init__(self, array: TensorArray):
        spec = (1, *array.var.shape), array.var.dtype
        self.length: Variable = array.length
        # There is nothing to stack in a list that has stayed empty.
        self.stacked: Variable = choose(
            self.length > 0, lambda: array.joined(0, stack=True), lambda: zeros_like_spec(*spec)
        )


def with_grown(value: object) -> Structure:
    """A result with its lists that grew ready to be fetched."""
    if isinstance(value, TensorArray):
        return Grown(value)
    if isinstance(value, dict):
        return {key: with_grown(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        parts = [with_grown(one) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def unstacked(stacked: VarBase, length: VarBase) -> list[VarBase]:
    count = int(length._t.item())
    return list(unstack(stacked, axis=0, num=count)) if count else []
