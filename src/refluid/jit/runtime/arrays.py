"""TensorArray: what a Python list becomes that grows or shrinks in a loop whose length only a run tells."""

from __future__ import annotations

from typing import Any

from refluid.core import unique_name
from refluid.core.dtypes import VarType
from refluid.ir import program as programs
from refluid.ir.block import Block
from refluid.ir.variable import Variable
from refluid.jit.errors import refused
from refluid.jit.runtime.promote import can_promote, promote
from refluid.layers import control_flow


class TensorArray:
    """An array of the program and how many of its elements count.

    The array is one variable that operators write to; what loops and branches hand on is the length.
    """

    def __init__(self, var: Variable, length: Variable, shrinks: bool = False):
        self.var, self.length, self.shrinks = var, length, shrinks

    @staticmethod
    def of(values: list[Any], like: Variable) -> TensorArray:
        """An array that begins with the elements of a list; `like` is one of those to come."""
        block = programs.default_main_program().current_block()
        var = block.create_var(
            name=unique_name.generate("array"), type=VarType.LOD_TENSOR_ARRAY, dtype=like.dtype, shape=like.shape
        )
        made = TensorArray(var, promote(0))
        for value in values:
            made.append(promote(value, like.dtype))
        return made

    def append(self, value: Any) -> None:
        control_flow.array_write(promote(value), self.length, self.var)
        self.length = self.length + 1

    def pop(self, index: Any = -1) -> Any:
        if not isinstance(index, int) or index != -1:
            raise refused("pop(i) inside a loop over tensors can take the last element alone")
        self.shrinks = True
        self.length = self.length - 1
        return self._read(self.length)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise refused("a list that grew in a loop over tensors cannot be sliced")
        if isinstance(index, int) and index < 0:
            return self._read(self.length + index)
        return self._read(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        control_flow.array_write(promote(value), self._position(index), self.var)

    def _position(self, index: Any) -> Variable:
        return self.length + index if isinstance(index, int) and index < 0 else promote(index, VarType.INT64)

    def _read(self, index: Any) -> Variable:
        return control_flow.array_read(self.var, self._position(index))

    def joined(self, axis: int, stack: bool) -> Variable:
        """All elements in one tensor."""
        if self.shrinks:
            raise refused("a list that shrank (pop) in a loop over tensors cannot be joined; keep a tensor instead")
        return control_flow.tensor_array_to_tensor(self.var, axis=axis, use_stack=stack)[0]

    def __len__(self) -> int:
        raise refused("the length of a list that grew in a loop over tensors is a tensor")

    def __iter__(self) -> Any:
        raise refused("a list that grew in a loop over tensors can be gone through with `for`")


def element_of(*lists: Any) -> Variable | None:
    """A variable like the elements of the first of these lists and arrays that has some.

    None if none has, or one of the lists holds something else than tensors and numbers.
    """
    if not all(can_promote(one) for values in lists if isinstance(values, list) for one in values):
        return None
    for values in lists:
        if isinstance(values, TensorArray):
            return values.var
        for one in values:
            return promote(one)
    return None


def with_arrays(reads: list[str], writes: list[str], outer: Block) -> list[str]:
    """What a block reads, arrays that it writes to included: elements from before it are still there after it."""
    arrays = [name for name in writes if outer._var_recursive(name).type == VarType.LOD_TENSOR_ARRAY]
    return list(dict.fromkeys([*reads, *arrays]))
