"""while and for: plain Python while what they ask is, a `while` of the program from where it is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.variable import Variable
from refluid.jit.errors import TranslationError, refused
from refluid.jit.runtime.arrays import TensorArray, element_of, with_arrays
from refluid.jit.runtime.branches import Get, Set, branch, common_shape
from refluid.jit.runtime.describe import describe
from refluid.jit.runtime.iterables import StaticItems, as_items
from refluid.jit.runtime.logic import and_, not_
from refluid.jit.runtime.numbers import Number, as_number, common_kind, is_number
from refluid.jit.runtime.promote import as_bool, can_promote, copied, is_static, promote, settled, zeros_like_spec
from refluid.jit.runtime.snapshot import Snapshot, frozen
from refluid.jit.runtime.structure import arrays_in, flatten, map_leaves, pack, skeleton
from refluid.jit.runtime.undefined import NoValue, Undefined
from refluid.layers import control_flow

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.layers.control_flow.nest import Structure


def while_(
    test: Callable[[], Any], body: Callable[[], None], names: tuple[str, ...], get: Get, put: Set, carried: tuple
) -> None:
    """Loop in Python as long as the condition is Python's; the rest of the loop is the program's."""
    while True:
        truth = settled(test())
        if is_static(truth):
            _Loop(test, body, names, get, put, carried).build()
            return
        if not truth:
            return
        body()


def for_(
    iterable: object,
    body: Callable[[Any], None],
    names: tuple[str, ...],
    get: Get,
    put: Set,
    carried: tuple,
    stop: Callable[[], object] | None,
    targets: tuple[str, ...],
) -> None:
    """Go through the items in Python if Python knows how many there are, else by a loop of the program.

    Args:
        names: what the body sets; `carried` of them are read outside the loop, every iteration sets `targets` first.
        stop: gives the flag that a `break` sets, None if there is none.
    """
    items = as_items(iterable)
    if isinstance(items, StaticItems):
        _for_static(items, body, names, get, put, carried, stop)
        return
    passing = frozenset(targets) - frozenset(carried)
    for item in items:
        done = settled(stop()) if stop is not None else False
        if is_static(done):  # broken out of or not, only a run tells: go on, with every further iteration in doubt
            put(*branch(not_(done), _with(body, item), _nothing, names, get, put, passing))
            continue
        if done:
            break
        body(item)


def _with(body: Callable[[Any], None], item: object) -> Callable[[], None]:
    return lambda: body(item)


def _nothing() -> None:
    pass


def _for_static(
    items: StaticItems,
    body: Callable,
    names: tuple,
    get: Get,
    put: Set,
    carried: tuple,
    stop: Callable[[], object] | None,
) -> None:
    """A `while` that counts the items."""
    length = items.length()
    count: Any = 0

    def test() -> Structure:
        below = as_number(count) < length
        return below if stop is None else and_(lambda: not_(stop()), lambda: below)

    def iteration() -> None:
        nonlocal count
        at = as_number(count)
        count = at + 1
        body(items.item(copied(at)))

    def get_all() -> tuple:
        return (count, *get())

    def put_all(first: object, *others: object) -> None:
        nonlocal count
        count = first
        put(*others)

    _Loop(test, iteration, ("the counter", *names), get_all, put_all, ("the counter", *carried)).build()


class _Restart(Exception):
    """The loop has to begin otherwise: with a float where it began with 1, with a list that iterations take from."""


class _Loop:
    """One loop of the program: what it carries from iteration to iteration, and how that begins."""

    def __init__(self, test: Callable, body: Callable, names: tuple, get: Get, put: Set, carried: tuple):
        self.test, self.body, self.names, self.get, self.put = test, body, names, get, put
        self.carried = set(carried)
        self.wider: dict[str, list[Any]] = {}  # numbers that iterations have left in these names
        self.shrinking: set[str] = set()  # lists that iterations take from

    def build(self) -> None:
        program = programs.default_main_program()
        size, here = len(program.blocks), program.current_block_idx
        before = Snapshot(self.get())
        while True:
            try:
                return self._build(before)
            except _Restart:
                del program.blocks[size:]
                program.current_block_idx = here
                program.touch()
                self.put(*before.restored())

    def _build(self, before: Snapshot) -> None:
        after = self._probe(before)
        start = [
            self._start(name, value, then)
            for name, value, then in zip(self.names, before.restored(), after, strict=True)
        ]
        self.constant = [not is_static(leaf) for leaf in flatten(start)]
        self.start = start
        loop_vars = [leaf for leaf in flatten(start) if is_static(leaf)]
        self._open_gradients(start, after)
        shapes = [var.shape for var in loop_vars]
        results = control_flow.while_loop(self._test, self._body, loop_vars)
        loop = programs.default_main_program().current_block().ops[-1]
        loop.inputs["X"] = with_arrays(loop.input("X"), loop.output("Out"), loop.block)
        for var, shape in zip(loop_vars, shapes, strict=True):
            var.shape = common_shape(shape, var.shape)  # a size that changes from iteration to iteration is not known
        self.put(*self._packed(results))
        self._leave_undefined()

    def _probe(self, before: Snapshot) -> tuple[Any, ...]:
        """What one iteration leaves, found by building it in a block that is thrown away."""
        program = programs.default_main_program()
        size, here = len(program.blocks), program.current_block_idx
        program._create_block()
        try:
            self.body()
            return frozen(self.get())
        finally:
            del program.blocks[size:]
            program.current_block_idx = here
            program.touch()
            self.put(*before.restored())

    def _open_gradients(self, start: list[Any], after: tuple[Any, ...]) -> None:
        """Gradients go through a variable of the loop if they go through what an iteration leaves there."""
        for begun, then in zip(start, after, strict=True):
            if skeleton(begun) != skeleton(then):
                continue
            for leaf, end in zip(flatten(begun), flatten(then), strict=True):
                if is_static(leaf) and isinstance(end, Variable | VarBase) and not end.stop_gradient:
                    leaf.stop_gradient = False

    def _start(self, name: str, value: object, after: object) -> Structure:
        """The value as it goes into the loop: variables of its own in place of everything that may change."""
        if isinstance(value, Undefined):
            if name not in self.carried or isinstance(after, Undefined):
                return value
            if not all(can_promote(leaf) for leaf in flatten(after)):
                return value
            return map_leaves(_stand_in, after)
        if isinstance(value, list) and isinstance(after, list | TensorArray) and skeleton(value) != skeleton(after):
            like = element_of(after, value)
            if like is None:
                raise self._changes(name, value, after)
            array = TensorArray.of(value, like)
            array.history.shrinks = name in self.shrinking
            return array
        if skeleton(value) != skeleton(after):
            raise self._changes(name, value, after)
        return pack(value, [self._leaf(name, x, y) for x, y in zip(flatten(value), flatten(after), strict=True)])

    def _leaf(self, name: str, value: object, after: object) -> Structure:
        if is_number(value) and is_number(after):
            kind = common_kind(value, after, *self.wider.get(name, ()))
            return copied(as_number(value, kind))
        if isinstance(value, Variable) and not isinstance(value, Number):
            start = copied(value)
            start.shape = common_shape(value.shape, tuple(getattr(after, "shape", value.shape)))
            return start
        if not can_promote(value) or (isinstance(value, VarBase) and value is after):
            if value is not after and not (isinstance(value, set) and value == after):
                raise self._changes(name, value, after)
            return value
        if not can_promote(after):
            raise self._changes(name, value, after)
        return copied(promote(value, after.dtype if isinstance(after, Variable | VarBase) else None))

    def _packed(self, variables: Sequence[Variable]) -> Structure:
        left = iter(variables)
        return [map_leaves(lambda leaf: next(left) if is_static(leaf) else leaf, value) for value in self.start]

    def _test(self, *variables: Variable) -> Variable:
        self.put(*self._packed(variables))
        return as_bool(self.test())

    def _body(self, *variables: Variable) -> list[Variable]:
        self.put(*self._packed(variables))
        self.body()
        for name, start in zip(self.names, self.start, strict=True):
            if name not in self.shrinking and any(array.history.late for array in arrays_in(start)):
                self.shrinking.add(name)
                raise _Restart()
        entry_ids = {id(var) for var in variables}
        out: list[Variable] = []
        for name, start, value in zip(self.names, self.start, self.get(), strict=True):
            if isinstance(start, Undefined):
                continue
            if skeleton(start) != skeleton(value):
                raise self._changes(name, start, value)
            for begun, leaf in zip(flatten(start), flatten(value), strict=True):
                if not is_static(begun):
                    if leaf is not begun and not (isinstance(leaf, set) and leaf == begun):
                        raise self._changes(name, begun, leaf)
                    continue
                if not can_promote(leaf):
                    raise self._changes(name, begun, leaf)
                if isinstance(begun, Number) and is_number(leaf) and common_kind(leaf, begun) is not begun.dtype:
                    self.wider.setdefault(name, []).append(leaf)
                    raise _Restart()
                new = promote(leaf, begun.dtype)
                # A variable of the loop in another's place is copied: they are written over one after the other.
                out.append(copied(new) if id(new) in entry_ids and new is not variables[len(out)] else new)
        return out

    def _leave_undefined(self) -> None:
        values = list(self.get())
        for i, (name, start) in enumerate(zip(self.names, self.start, strict=True)):
            if isinstance(start, Undefined) and not isinstance(start, NoValue):
                values[i] = Undefined(
                    f"{name!r} gets its first value in a loop whose condition is a tensor, and is used after it; "
                    "give it a value before the loop"
                )
        self.put(*values)

    def _changes(self, name: str, value: object, after: object) -> TranslationError:
        return refused(
            f"{name!r} is {describe(value)} before an iteration of a loop whose condition is a tensor and "
            f"{describe(after)} after it; it must stay a tensor or a number, nested alike"
        )


def _stand_in(leaf: BaseVariable) -> Variable:
    if isinstance(leaf, Variable | VarBase):
        return zeros_like_spec(tuple(leaf.shape), leaf.dtype)
    return copied(promote(leaf))
