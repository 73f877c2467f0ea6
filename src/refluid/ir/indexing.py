"""What `x[0]`, `x[1:3, ::2]` and `x[i]` mean, for variables of both modes."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import index
from typing import Any

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, IndexRangeError, ShapeError
from refluid.core.naming import NO_LAYER, Parts
from refluid.ir.base_variable import BaseVariable, V
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.shape.fill_constant import fill_constant
from refluid.ops.shape.reverse import reverse
from refluid.ops.shape.slice import slice as slice_op
from refluid.ops.shape.strided_slice import strided_slice

_WHOLE = slice(None)
_FOREVER = 10_000_000  # Fluid's "to the end" of a slice that begins at the last element


@dataclass
class Cuts:
    """What an index asks of the axes it cuts. Starts, ends and steps are ints or one-element variables of a program."""

    axes: list[int] = field(default_factory=list)
    starts: list[Any] = field(default_factory=list)
    ends: list[Any] = field(default_factory=list)
    steps: list[Any] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)  # axes that are indexed, not sliced
    reverse: list[int] = field(default_factory=list)  # axes that are reversed as a whole

    def add(self, axis: int, start: int | BaseVariable, end: int | BaseVariable, step: object = 1) -> None:
        self.axes.append(axis)
        self.starts.append(start)
        self.ends.append(end)
        self.steps.append(step)


def take(x: V, item: object) -> V:
    """x[item] for ints, slices with steps, Ellipsis, and one-element variables as ints."""
    items = item if type(item) is tuple else (item,)
    # x[i], x[:, t]: loops do so all the time
    if items and type(items[-1]) is int and all([type(key) is slice and key == _WHOLE for key in items[:-1]]):
        axis, position, shape = len(items) - 1, items[-1], x.shape
        if axis < len(shape) and -shape[axis] <= position < shape[axis]:
            end = position + 1 if position != -1 else _FOREVER
            return slice_op(
                x,
                name=Parts(x, "_slice"),
                axes=[axis],
                starts=[position],
                ends=[end],
                decrease_axis=[axis],
                infer_flags=[1],
            )
    cuts = Cuts()
    for axis, key in enumerate(_spread(x, item)):
        if isinstance(key, slice):
            _slice(x, cuts, axis, key)
        else:
            _element(x, cuts, axis, key)
    out = x
    if cuts.axes:
        strided = any(isinstance(step, BaseVariable) or step != 1 for step in cuts.steps)
        variables = _variables(cuts)
        numbers: dict[str, Any] = {
            "axes": cuts.axes,
            "starts": [-1 if isinstance(n, BaseVariable) else n for n in cuts.starts],
            "ends": [-1 if isinstance(n, BaseVariable) else n for n in cuts.ends],
            "decrease_axis": cuts.gone,
            "infer_flags": [
                -1 if any(isinstance(n, BaseVariable) for n in cut) else 1
                for cut in zip(cuts.starts, cuts.ends, cuts.steps, strict=True)
            ],
        }
        if strided:
            name = Parts(x, "_strided_slice")
            steps = [-1 if isinstance(n, BaseVariable) else n for n in cuts.steps]
            step_variables = _as_variables(cuts.steps)
            out = strided_slice(out, None, None, None, *variables, step_variables, name=name, strides=steps, **numbers)
        elif variables == (None, None):
            out = slice_op(out, name=Parts(x, "_slice"), **numbers)
        else:
            out = slice_op(out, None, None, *variables, name=Parts(x, "_slice"), **numbers)
    if cuts.reverse:
        left = [axis - sum(gone < axis for gone in cuts.gone) for axis in cuts.reverse]
        out = reverse(out, axis=left, name=Parts(x, "_slice_reverse"))
    return out


def _spread(x: BaseVariable, item: object) -> list[Any]:
    """One index per axis, with Ellipsis written out."""
    items = list(item) if isinstance(item, tuple) else [item]
    dots = [n for n, one in enumerate(items) if one is Ellipsis]
    if len(dots) > 1:
        raise ArgumentError(f"{x.name}[...]: there can be one Ellipsis, got {len(dots)}")
    rank = len(x.shape)
    for ellipsis in dots:
        items[ellipsis : ellipsis + 1] = [slice(None)] * (rank - len(items) + 1)
    if len(items) > rank:
        raise ShapeError(f"{x.name} has {rank} axes, but {len(items)} indices were given")
    return items


def _slice(x: BaseVariable, cuts: Cuts, axis: int, bounds: slice) -> None:
    start, end = _position(x, bounds.start), _position(x, bounds.stop)
    step = 1 if bounds.step is None else _position(x, bounds.step)
    if isinstance(step, BaseVariable):
        # the sign of the step is known at run time alone: 1.8.5 takes it for -1 where the ends are open
        cuts.add(axis, 0 if start is None else start, _FOREVER if end is None else end, step)
        return
    if step == 0:
        raise ArgumentError(f"{x.name}[...]: the step of a slice must be an int other than 0, got 0")
    if start is None and end is None and step in (1, -1):
        if step == -1:
            cuts.reverse.append(axis)
        return
    if start is None:
        start = 0 if step > 0 else _FOREVER
    if end is None:
        end = _FOREVER if step > 0 else -_FOREVER
    cuts.add(axis, start, end, step)


def _element(x: BaseVariable, cuts: Cuts, axis: int, index: object) -> None:
    position = _position(x, index)
    if position is None:
        raise ArgumentError(f"{x.name}[...]: an index must be an int or a slice, got None")
    cuts.gone.append(axis)
    if isinstance(position, BaseVariable):
        cuts.add(axis, position, _next(position))
        return
    size = x.shape[axis]
    if size >= 0 and not -size <= position < size:
        raise IndexRangeError(f"index {position} is out of range for axis {axis} of {x.name} {list(x.shape)}")
    cuts.add(axis, position, position + 1 if position != -1 else _FOREVER)


def _position(x: BaseVariable, value: Any) -> Any:
    """An int, None, or a variable of a program; a variable of the imperative mode is the int that it holds."""
    if value is None or (isinstance(value, BaseVariable) and not value.is_imperative):
        return value
    try:
        return index(value)  # True is 1, as in Fluid
    except (TypeError, ValueError):
        kind = type(value).__name__
        raise ArgumentError(f"{x.name}[...]: an index must be an int or a slice, got {kind}") from None


def _variables(cuts: Cuts) -> tuple[list[Any] | None, list[Any] | None]:
    """Starts and ends as lists of variables, where one of them is one; None otherwise."""
    return _as_variables(cuts.starts), _as_variables(cuts.ends)


def _as_variables(values: list[Any]) -> list[Any] | None:
    if not any(isinstance(value, BaseVariable) for value in values):
        return None
    return [value if isinstance(value, BaseVariable) else _constant(value, VarType.INT32) for value in values]


def _next(at: BaseVariable) -> int | BaseVariable:
    """The end of the slice that holds element `at` alone."""
    end = elementwise_add(at, _constant(1, at.dtype), name=NO_LAYER)
    end.stop_gradient = True
    return end


def _constant(value: int, dtype: VarType) -> BaseVariable:
    made = fill_constant(shape=[1], dtype=int(dtype), value=float(value), force_cpu=True, name=NO_LAYER)
    made.stop_gradient = True
    return made
