"""if, and conditional expressions: plain Python where the condition is, two blocks of the program where it is not."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.core.naming import LayerName
from refluid.eager.variable import VarBase
from refluid.executor.blocks.definitions import conditional_block
from refluid.ir import program as programs
from refluid.ir.block import Block
from refluid.ir.variable import Variable
from refluid.jit.errors import TranslationError, refused
from refluid.jit.runtime.arrays import TensorArray, element_of, with_arrays
from refluid.jit.runtime.describe import describe
from refluid.jit.runtime.numbers import common_kind, is_number, number
from refluid.jit.runtime.promote import (
    as_bool,
    can_promote,
    convert,
    is_static,
    promote,
    settled,
    zeros_like_spec,
)
from refluid.jit.runtime.snapshot import Snapshot, frozen
from refluid.jit.runtime.structure import flatten, pack, skeleton
from refluid.jit.runtime.undefined import NoValue, Undefined
from refluid.layers.control_flow.block import crossing
from refluid.ops.array.select import select_input
from refluid.ops.math.logical import logical_not
from refluid.ops.shape.assign import assign

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.layers.control_flow.nest import Structure

Get = Callable[[], tuple[Any, ...]]
Set = Callable[..., None]


def if_(test: object, true: Callable, false: Callable, names: tuple[str, ...], get: Get, put: Set) -> None:
    """Run one of the blocks, or make both of them part of the program and the names hold what either leaves."""
    test = settled(test)
    if not is_static(test):
        true() if test else false()
        return
    put(*branch(test, true, false, names, get, put))


def choose(test: object, true: Callable, false: Callable) -> Structure:
    """true() if test else false()."""
    test = settled(test)
    if not is_static(test):
        return true() if test else false()
    held: Structure = None

    def run(thunk: Callable) -> Callable[[], None]:
        def fill() -> None:
            nonlocal held
            held = thunk()

        return fill

    def put(value: object) -> None:
        nonlocal held
        held = value

    (value,) = branch(test, run(true), run(false), ("the value of `... if ... else ...`",), lambda: (held,), put)
    return value


def branch(
    test: Variable, true: Callable, false: Callable, names: tuple[str, ...], get: Get, put: Set,
    passing: frozenset[str] = frozenset(),
) -> list[Any]:  # fmt: skip
    """Both blocks in the program; the values that the names have after the one that runs.

    `passing` are names that nobody reads afterwards, which need not be brought together.
    """
    test = as_bool(test)
    program = programs.default_main_program()
    size = len(program.blocks)
    before, sides = _build(true, false, get, put)
    grown = _lists_that_differ(before.values, sides[0][1], sides[1][1])
    if grown:  # they become arrays, and the blocks are built again for those
        del program.blocks[size:]
        program.touch()
        put(*[
            TensorArray.of(value, grown[i]) if i in grown else value for i, value in enumerate(before.restored())
        ])  # fmt: skip
        before, sides = _build(true, false, get, put)
    merge = _Merge(test, sides[0][0], sides[1][0])
    merged = [
        Undefined(f"{n!r} is set by the loop alone") if n in passing else merge.name(n, a, b)
        for n, a, b in zip(names, sides[0][1], sides[1][1], strict=True)
    ]
    merge.finish()
    return merged


def _build(true: Callable, false: Callable, get: Get, put: Set) -> tuple[Snapshot, list[tuple[Block, tuple[Any, ...]]]]:
    """Both sides as blocks, each from the same values, and what they leave; the values before are put back."""
    program = programs.default_main_program()
    before = Snapshot(get())
    sides = []
    for side in (true, false):
        block = program._create_block()
        try:
            side()
        finally:
            program._rollback()
        sides.append((block, frozen(get())))
        put(*before.restored())
    return before, sides


def _lists_that_differ(before: tuple, a: tuple, b: tuple) -> dict[int, Variable]:
    """Lists (by position) that the sides leave in different lengths, with something like their elements."""
    differing: dict[int, Variable] = {}
    for i, (value, x, y) in enumerate(zip(before, a, b, strict=True)):
        kinds = (list, TensorArray)
        if isinstance(value, list) and isinstance(x, kinds) and isinstance(y, kinds) and skeleton(x) != skeleton(y):
            like = element_of(x, y, value)
            if like is not None:
                differing[i] = like
    return differing


class _Merge:
    """Brings what the two blocks leave together: copies inside the blocks, a choice behind them."""

    def __init__(self, test: Variable, true: Block, false: Block):
        self.test, self.blocks = test, (true, false)
        self.program = true.program
        self.outer = self.program.current_block()
        self.pairs: list[tuple[Variable, Variable, Variable]] = []  # (result, of the one block, of the other)

    def name(self, name: str, a: object, b: object) -> Any:
        if isinstance(a, NoValue) or isinstance(b, NoValue):
            return self._with_stand_in(name, a, b)
        if isinstance(a, Undefined) or isinstance(b, Undefined):
            if isinstance(a, Undefined) and isinstance(b, Undefined):
                return a
            return Undefined(f"{name!r} gets a value in one branch only of an `if` whose condition is a tensor")
        if isinstance(a, TensorArray) and isinstance(b, TensorArray) and a.var is not b.var:
            return Undefined(
                f"{name!r} is another list that grows in either branch of an `if` whose condition is a tensor"
            )
        if skeleton(a) != skeleton(b):
            raise self._differ(name, a, b)
        return pack(a, [self._leaf(name, x, y) for x, y in zip(flatten(a), flatten(b), strict=True)])

    def _with_stand_in(self, name: str, a: object, b: object) -> Structure:
        """One side has not returned: zeros take the place of its result, which a flag keeps from being read."""
        there = b if isinstance(a, NoValue) else a
        if isinstance(there, NoValue):
            return there
        leaves: list[Any] = []
        for leaf in flatten(there):
            if not can_promote(leaf):
                if leaf is not None and not isinstance(leaf, str):
                    raise self._differ(name, a, b)
                leaves.append(leaf)
                continue
            side = self.blocks[1] if isinstance(a, NoValue) else self.blocks[0]
            with _inside(side):
                var = promote(leaf)
            other = self.blocks[0] if isinstance(a, NoValue) else self.blocks[1]
            with _inside(other):
                stand_in = zeros_like_spec(var.shape, var.dtype)
            result = self._pair(*((stand_in, var) if isinstance(a, NoValue) else (var, stand_in)))
            leaves.append(number(result) if is_number(leaf) else result)
        return pack(there, leaves)

    def _leaf(self, name: str, x: BaseVariable, y: BaseVariable) -> Structure:
        if x is y or (type(x) is type(y) and isinstance(x, bool | int | float | str | type(None)) and x == y):
            return x
        if _is_same_function(x, y) or (isinstance(x, set) and x == y):
            return x
        if not can_promote(x) or not can_promote(y):
            raise self._differ(name, x, y)
        numbers = is_number(x) and is_number(y)
        kinds = (common_kind(x, y),) * 2 if numbers else (_kind_beside(x, y), _kind_beside(y, x))
        with _inside(self.blocks[0]):
            first = promote(x, kinds[0])
        with _inside(self.blocks[1]):
            second = promote(y, kinds[1])
        if numbers:
            return number(self._pair(first, second))
        if first.dtype is not second.dtype:
            tensors = isinstance(x, Variable | VarBase) and isinstance(y, Variable | VarBase)
            if tensors and dtypes.is_floating(x.dtype) != dtypes.is_floating(y.dtype):
                raise self._differ(name, first, second)
            first, second = self._one_dtype(first, second)
        return self._pair(first, second)

    def _one_dtype(self, first: Variable, second: Variable) -> tuple[Variable, Variable]:
        """Numbers of two kinds: the one that holds more."""
        order = [VarType.BOOL, VarType.INT32, VarType.INT64, VarType.FP16, VarType.FP32, VarType.FP64]
        wide = max(first.dtype, second.dtype, key=lambda kind: order.index(kind) if kind in order else -1)
        with _inside(self.blocks[0]):
            first = first if first.dtype is wide else convert(first, wide)
        with _inside(self.blocks[1]):
            second = second if second.dtype is wide else convert(second, wide)
        return first, second

    def _pair(self, first: Variable, second: Variable) -> Variable:
        """One variable outside for two inside."""
        outs = []
        for block, var in zip(self.blocks, (first, second), strict=True):
            out = self.outer.create_var(
                name=LayerName("cond").tmp(), type=var.type, shape=var.shape, dtype=var._dtype, lod_level=var.lod_level
            )
            out.stop_gradient = var.stop_gradient
            with _inside(block):
                assign(var, outs={"Out": out})
            outs.append(out)
        result = self.outer.create_var(
            name=LayerName("cond").tmp(), type=first.type, dtype=first._dtype, lod_level=first.lod_level,
            shape=common_shape(first.shape, second.shape), stop_gradient=first.stop_gradient and second.stop_gradient,
        )  # fmt: skip
        self.pairs.append((result, outs[0], outs[1]))
        return result

    def finish(self) -> None:
        """The operators that run the blocks and choose between their results."""
        mask = None
        otherwise = logical_not(self.test)
        for block, test in zip(self.blocks, (self.test, otherwise), strict=True):
            if not block.ops:
                continue
            reads, writes = crossing(block, self.outer)
            reads = with_arrays(reads, writes, self.outer)
            self.outer.append_op(
                conditional_block.type, inputs={"Cond": test, "Input": reads},
                outputs={"Out": writes, "Scope": self.outer.create_var(type=VarType.STEP_SCOPES)},
                attrs={"sub_block": block, "is_scalar_condition": True},
            )  # fmt: skip
        for result, first, second in self.pairs:
            mask = convert(self.test, VarType.INT32) if mask is None else mask
            shape, stop = result.shape, result.stop_gradient
            select_input([second, first], mask, outs={"Out": result})
            result.shape, result.stop_gradient = shape, stop

    def _differ(self, name: str, a: object, b: object) -> TranslationError:
        return refused(
            f"the branches of an `if` whose condition is a tensor leave {name!r} as {describe(a)} and as "
            f"{describe(b)}; both must leave tensors or numbers, nested alike"
        )


class _inside:
    """Operators recorded inside go to a block that was left before."""

    def __init__(self, block: Block):
        self.block = block

    def __enter__(self) -> None:
        program = self.block.program
        self.old, program.current_block_idx = program.current_block_idx, self.block.idx

    def __exit__(self, *error: object) -> None:
        self.block.program.current_block_idx = self.old


def _is_same_function(x: object, y: object) -> bool:
    """Whether they come from one `def` and see the same variables: it ran in one branch after the other."""
    if not isinstance(x, types.FunctionType) or not isinstance(y, types.FunctionType) or x.__code__ is not y.__code__:
        return False
    cells = zip(x.__closure__ or (), y.__closure__ or (), strict=True)
    defaults = zip(x.__defaults__ or (), y.__defaults__ or (), strict=True)
    return all(a is b for a, b in (*cells, *defaults)) and x.__kwdefaults__ == y.__kwdefaults__


def _kind_beside(value: object, other: object) -> VarType | None:
    """A number takes the dtype of the tensor that it may stand for, unless that would cut it off."""
    if not is_number(value) or is_number(other) or not isinstance(other, Variable | VarBase):
        return None
    fraction = dtypes.is_floating(common_kind(value)) and not dtypes.is_floating(other.dtype)
    return None if fraction else other.dtype


def common_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes that two shapes have in common, -1 for the others."""
    if len(a) != len(b):
        return a
    return tuple(x if x == y else -1 for x, y in zip(a, b, strict=True))
