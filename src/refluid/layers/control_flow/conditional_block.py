"""ConditionalBlock: what is built inside its block runs under a condition, as in the blocks of Switch and IfElse."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from types import TracebackType

from refluid.ir.block import Block
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.layers.control_flow.block import run_if
from refluid.layers.helper import LayerHelper
from refluid.layers.type_checks import check_type


class BlockGuard:
    """`with BlockGuard(program):` builds into a new block of the program.

    Args:
        main_program: the program.
    """

    def __init__(self, main_program: Program):
        check_type(main_program, "main_program", Program, "BlockGuard")
        self.main_program = main_program

    def __enter__(self) -> None:
        self.main_program._create_block()

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        self.main_program._rollback()
        return kind is None


class ConditionalBlock:
    """A block that runs if all inputs have elements or, with a scalar condition, if the one input is true.

    Args:
        inputs: a list of variables.
        is_scalar_condition: inputs is one bool variable of one element.

    Example:
        >>> with fluid.layers.control_flow.ConditionalBlock(
        ...     [fluid.layers.fill_constant([1], "bool", True)], is_scalar_condition=True
        ... ).block():
        ...     y = fluid.layers.fill_constant([1], "float32", 1.0)
    """

    def __init__(self, inputs: Sequence[Variable], is_scalar_condition: bool = False, name: str | None = None):
        for input in inputs:
            check_type(input, "input", Variable, "ConditionalBlock")
        self.inputs = inputs
        self.is_scalar_condition = is_scalar_condition
        self.helper = LayerHelper("conditional_block", name=name)

    def block(self) -> ConditionalBlockGuard:
        """The operators built inside `with ....block():` are those that run."""
        return ConditionalBlockGuard(self)


class ConditionalBlockGuard(BlockGuard):
    """The context manager of ConditionalBlock.block.

    Args:
        block: the ConditionalBlock.
    """

    def __init__(self, block: ConditionalBlock):
        check_type(block, "block", ConditionalBlock, "ConditionalBlockGuard")
        super().__init__(block.helper.main_program)
        self.block = block
        self._building: AbstractContextManager[Block] | None = None

    def __enter__(self) -> Block:  # type: ignore[override]
        building = self._building = run_if(list(self.block.inputs), self.block.is_scalar_condition)
        return building.__enter__()

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        assert self._building is not None  # a guard is left after it was entered
        self._building.__exit__(kind, error, trace)
        return kind is None
