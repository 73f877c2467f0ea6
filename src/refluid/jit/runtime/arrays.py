"""TensorArray: what a Python list becomes that grows or shrinks in a loop whose length only a run tells."""

from __future__ import annotations

from typing import Any, NoReturn

from refluid.core import unique_name
from refluid.core.dtypes import VarType
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ir.variable import Variable
from refluid.jit.errors import refused
from refluid.jit.runtime.promote import TRUTHS, can_promote, promote
from refluid.layers import control_flow


class History:
    """What all that stands for one array knows of it."""

    shrinks = False  # some `pop` takes from it, in whatever block
    joined = False  # something took it whole while no `pop` was known
    late = False  # and then one came: in a loop, the next iteration has both


class TensorArray:
    """An array of the program and how many of its elements count.

    The array is one variable that operators write to; loops and branches pass on the length.
    """

    def __init__(self, var: Variable, length: Variable, history: History | None = None):
        self.var, self.length, self.history = var, length, history or History()

    @staticmethod
    def of(values: list[Any], like: Variable) -> TensorArray:
        """An array that begins with the elements of a list; `like` is one of those to come."""
        block = programs.default_main_program().current_block()
        var = block.create_var(
            name=unique_name.generate("array"), type=VarType.LOD_TENSOR_ARRAY, dtype=like.dtype, shape=like.shape
        )
        array = TensorArray(var, promote(0))
        for value in values:
            array.append(promote(value, like.dtype))
        return array

    def append(self, value: object) -> None:
        control_flow.array_write(promote(value), self.length, self.var)
        self.length = self.length + 1

    def pop(self, index: int | Variable = -1) -> BaseVariable:
        if not isinstance(index, int) or index != -1:
            raise refused("pop(i) inside a loop over tensors can take the last element alone")
        self.history.late |= self.history.joined
        self.history.shrinks = True
        self.length = self.length - 1
        return self._read(self.length)

    def __getitem__(self, index: object) -> BaseVariable:
        if isinstance(index, slice):
            raise refused("a list that grew in a loop over tensors cannot be sliced")
        if isinstance(index, int) and index < 0:
            return self._read(self.length + index)
        return self._read(index)

    def __setitem__(self, index: object, value: object) -> None:
        control_flow.array_write(promote(value), self._position(index), self.var)

    def _position(self, index: object) -> Variable:
        return self.length + index if isinstance(index, int) and index < 0 else promote(index, VarType.INT64)

    def _read(self, index: object) -> BaseVariable:
        return control_flow.array_read(self.var, self._position(index))

    def extend(self, values: object) -> None:
        if not isinstance(values, list | tuple):
            raise refused("extend of a list that grew in a loop over tensors takes a list of Python")
        for value in values:
            self.append(value)

    def exact(self) -> Variable:
        """An array of just the elements that count: `pop` leaves what it has taken where it was."""
        if not self.history.shrinks:
            self.history.joined = True
            return self.var
        copy = TensorArray.of([], self.var)
        control_flow.while_loop(
            lambda at: at < self.length, lambda at: [_copy_element(self.var, at, copy.var)], [promote(0)]
        )
        loop = programs.default_main_program().current_block().ops[-1]
        loop.inputs["X"] = with_arrays(loop.input("X"), loop.output("Out"), loop.block)
        return copy.var

    def joined(self, axis: int, stack: bool) -> BaseVariable:
        """All elements in one tensor."""
        return control_flow.tensor_array_to_tensor(self.exact(), axis=axis, use_stack=stack)[0]

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise refused(f".{name} of a list that grew in a loop over tensors; it has append, extend, pop, len and [i]")

    def __repr__(self) -> str:
        return "a list that grew in a loop over tensors; concat or stack it"

    def __len__(self) -> int:
        raise refused("the length of a list that grew in a loop over tensors is a tensor")

    def __iter__(self) -> NoReturn:
        raise refused("a list that grew in a loop over tensors can be iterated with `for`")


TRUTHS[TensorArray] = lambda array: array.length > 0


def _copy_element(source: Variable, at: Variable, target: Variable) -> Variable:
    control_flow.array_write(control_flow.array_read(source, at), at, target)
    return at + 1


def element_of(*lists: Any) -> Variable | None:
    """A variable like the elements of the first of these lists and arrays that has some.

    None if none has, or one of the lists holds something else than tensors and numbers.
    """
    if not all(can_promote(item) for values in lists if isinstance(values, list) for item in values):
        return None
    for values in lists:
        if isinstance(values, TensorArray):
            return values.var
        for item in values:
            return promote(item)
    return None


def with_arrays(reads: list[str], writes: list[str], outer: Block) -> list[str]:
    """What a block reads, arrays that it writes to included: elements from before it are still there after it."""
    arrays = [name for name in writes if outer._var_recursive(name).type == VarType.LOD_TENSOR_ARRAY]
    return list(dict.fromkeys([*reads, *arrays]))
