"""IfElse: two branches over the rows of a batch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager

from refluid.core import dtypes, mode, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, ModeError
from refluid.core.naming import LayerName
from refluid.ir import program as programs
from refluid.ir.variable import Variable
from refluid.layers.control_flow.block import run_if
from refluid.layers.tensor import assign
from refluid.ops.array.split_merge import merge_lod_tensor, split_lod_tensor


class IfElse:
    """Two branches over the rows of a batch: each row takes the branch of its condition.

    Args:
        cond: a bool variable [N, 1].

    Example:
        >>> x = fluid.data("x", [None, 1])
        >>> branches = fluid.layers.IfElse(fluid.layers.less_than(x, fluid.layers.fill_constant([1], "float32", 0.0)))
        >>> with branches.true_block():
        ...     branches.output(branches.input(x) * -1.0)  # the rows where the condition is true
        >>> with branches.false_block():
        ...     branches.output(branches.input(x))
        >>> (absolute,) = branches()  # the rows of both in their order
    """

    def __init__(self, cond: Variable, name: str | None = None):
        mode.current().demand_program(
            ModeError("IfElse: it builds blocks of a program; in the imperative mode choose rows with where")
        )
        if not isinstance(cond, Variable):
            raise ArgumentError(f"IfElse: cond must be a Variable, got {type(cond).__name__}")
        if cond.dtype != VarType.BOOL:
            raise DtypeError(f"IfElse: cond must be bool, got {dtypes.dtype_name(cond.dtype)}")
        self._condition = cond
        self._layer = LayerName("ifelse", name)
        self._parts: dict[str, tuple[Variable, Variable]] = {}  # input -> its rows where cond is true, and the others
        self._branch: bool | None = None
        self._outputs: dict[bool, list[Variable]] = {}

    @contextlib.contextmanager
    def _block(self, branch: bool) -> Iterator[None]:
        if self._branch is not None:
            raise ArgumentError("IfElse: one block cannot be inside the other")
        if branch in self._outputs:
            raise ArgumentError(f"IfElse: {'true' if branch else 'false'}_block exists already")
        self._branch = branch
        self._outputs[branch] = []
        try:
            with run_if(self._condition, is_scalar=False):
                yield
        finally:
            self._branch = None
        if not self._outputs[branch]:
            raise ArgumentError("IfElse: a block must call output(...)")

    def true_block(self) -> AbstractContextManager[None]:
        """The operators built inside work on the rows where the condition is true."""
        return self._block(True)

    def false_block(self) -> AbstractContextManager[None]:
        """The operators built inside work on the other rows."""
        return self._block(False)

    def input(self, x: Variable) -> Variable:
        """The rows of a variable that belong to the block.

        Args:
            x: a variable [N, ...].

        Returns:
            A variable with fewer rows.
        """
        if self._branch is None:
            raise ArgumentError("IfElse.input: call it inside true_block() or false_block()")
        if x.name not in self._parts:
            self._parts[x.name] = self._split(x)
        return self._parts[x.name][0 if self._branch else 1]

    def _split(self, x: Variable) -> tuple[Variable, Variable]:
        program = programs.default_main_program()
        inner = program.current_block()
        outer = inner.parent
        assert outer is not None
        names = [unique_name.generate(f"ifelse_input{self._layer}") for _ in range(2)]
        true, false = (outer.create_var(name=name, dtype=x._dtype, shape=x.shape) for name in names)
        outer.append_op(
            split_lod_tensor.type,
            {"X": x, "Mask": self._condition},
            {"OutTrue": true, "OutFalse": false},
            {"level": 0},
        )
        return true, false

    def output(self, *outs: Variable) -> None:
        """Make variables of the block outputs.

        Args:
            outs: variables of the block; both blocks have as many.
        """
        if self._branch is None:
            raise ArgumentError("IfElse.output: call it inside true_block() or false_block()")
        inner = programs.default_main_program().current_block()
        outer = inner.parent
        assert outer is not None
        for result in outs:
            if not isinstance(result, Variable):
                raise ArgumentError(f"IfElse.output: it takes Variables, got {type(result).__name__}")
            name = unique_name.generate(f"{self._layer}_output")
            out = outer.create_var(name=name, shape=result.shape, dtype=result._dtype, lod_level=result.lod_level)
            assign(result, out)
            self._outputs[self._branch].append(out)

    def __call__(self) -> list[Variable]:
        """The outputs of both blocks, their rows merged in the order of the batch, or those of the only block."""
        if self._branch is not None:
            raise ArgumentError("IfElse: it is called after its blocks, not inside one")
        if not self._outputs:
            raise ArgumentError("IfElse: call true_block() or false_block() first")
        if len(self._outputs) == 1:
            return next(iter(self._outputs.values()))
        true, false = self._outputs[True], self._outputs[False]
        if len(true) != len(false):
            raise ArgumentError(f"IfElse: true_block gives {len(true)} outputs, but false_block {len(false)}")
        return [
            merge_lod_tensor(self._condition, self._condition, yes, no, level=0, name=LayerName("merge_lod_tensor"))
            for yes, no in zip(true, false, strict=True)
        ]
