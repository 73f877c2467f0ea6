"""Shapes and dtypes of outputs, found by running the kernel on meta tensors.

Unknown sizes (-1) are stood in for by 2520 and, in a second run, 5040; every size that moved is unknown. Both are
divisible by 1 to 10, so that reshaping [-1, 6] to [-1, 4] passes. Operators that every program has tell their shapes
themselves (`like=`, `@name.infer`), the others are run under `Sizing`, since meta kernels of torch import its compiler.
No message ever shows a stand-in: an error raised for both has -1 where the two messages differ.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from refluid.core.errors import DtypeError, EnforceNotMet, ShapeError
from refluid.ops.checks import wrong_attr
from refluid.ops.failure import refusal, unfit
from refluid.ops.registry import OpDef
from refluid.ops.sizing import Sizing

if TYPE_CHECKING:
    from torch import Tensor

STAND_INS = (2520, 5040)
FEW = (60, 120)  # where so many sizes are unknown that the number of elements would overflow


class Spec(NamedTuple):
    """What is known of a value before it exists."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    lod_level: int = -1  # of an output, -1: as its operator's LoD rule has it


Specs = Spec | None | list[Spec]

_cache: dict[Any, list[Specs]] = {}


def infer(op: OpDef, inputs: list[Specs], attrs: dict[str, Any]) -> list[Specs]:
    """The spec of every output slot. `attrs` are complete; raises the kernel's own error without context."""
    if "sub_block" in attrs or "optimize_blocks" in attrs:  # they would be kept, with their whole program
        return _infer(op, inputs, attrs)
    key = _key(op, inputs, attrs)
    outs = _cache.get(key)
    if outs is None:
        outs = _infer_mixed(op, inputs, attrs)
        if len(_cache) > 20_000:
            _cache.clear()
        _cache[key] = outs
    return outs


def _infer(op: OpDef, inputs: list[Specs], attrs: dict[str, Any]) -> list[Specs]:
    if op.like is not None:
        return [inputs[op.like]]
    allowed = _with_allowed_dtypes(op, inputs)
    if allowed != inputs:
        return _with_declared_dtypes(_infer(op, allowed, attrs), inputs, allowed)
    if op.rules.infer is not None:
        outs_by_rule = _by_rule(op, inputs, attrs)
        if outs_by_rule is not None:
            return [_as_specs(out) for out in outs_by_rule]
    if len(op.inplace) == len(op.outputs):
        return [inputs[op.inplace[i]] for i in range(len(op.outputs))]
    unknown = _unknown(inputs)
    stand_ins = STAND_INS if unknown < 4 else FEW
    first, second = _try(op, inputs, attrs, stand_ins[0]), None
    if isinstance(first, Exception) or unknown:
        second = _try(op, inputs, attrs, stand_ins[1])
    if isinstance(first, Exception) or isinstance(second, Exception):
        # An unknown size that has to be that of another input is known after all.
        aligned = _aligned(inputs)
        if aligned != inputs:
            with contextlib.suppress(EnforceNotMet):  # if it does not help, the error is about what was given
                return _infer(op, aligned, attrs)
        for size in _batches(inputs):
            outs = _try(op, inputs, attrs, size)
            if not isinstance(outs, Exception):
                return [_merge(a, a) for a in outs]
        if unknown:
            for guess in _guesses(inputs):
                outs = _try(op, guess, attrs, stand_ins[0])
                again = _try(op, guess, attrs, stand_ins[1])
                if not isinstance(outs, Exception) and not isinstance(again, Exception):
                    return [_merge(a, b) for a, b in zip(outs, again, strict=True)]
        raise _without_stand_ins(first, second)
    return [_merge(a, b) for a, b in zip(first, second or first, strict=True)]


def _by_rule(op: OpDef, inputs: list[Specs], attrs: dict[str, Any]) -> list[Any] | None:
    assert op.rules.infer is not None
    try:
        return op.rules.infer(inputs, attrs)
    except (TypeError, AttributeError) as error:
        raise wrong_attr(op, attrs) or error from None
    except ShapeError as error:
        for guess in _guesses(inputs) if _unknown(inputs) else ():
            with contextlib.suppress(ShapeError):
                return op.rules.infer(guess, attrs)
        raise error


def _with_allowed_dtypes(op: OpDef, inputs: list[Specs]) -> list[Specs]:
    """The inputs with dtypes that the kernel takes, for slots whose declared dtype is only checked at run time."""

    def fitted(spec: Specs, allowed: frozenset[torch.dtype]) -> Specs:
        if isinstance(spec, list):
            return [fitted(one, allowed) for one in spec]  # type: ignore[misc]  # lists do not nest
        if spec is None or spec.dtype in allowed:
            return spec
        return spec._replace(dtype=next(dtype for dtype in _USUAL if dtype in allowed))

    if not op.dtypes:
        return inputs
    return [fitted(spec, op.dtypes[i]) if i in op.dtypes else spec for i, spec in enumerate(inputs)]


def _with_declared_dtypes(outs: list[Specs], inputs: list[Specs], allowed: list[Specs]) -> list[Specs]:
    """The outputs with the declared dtype of the first input, where they have the dtype that was substituted."""
    spec, fitted = inputs[0], allowed[0]
    if not isinstance(spec, Spec) or not isinstance(fitted, Spec) or not fitted.dtype.is_floating_point:
        return outs
    return [_with_dtype(out, fitted.dtype, spec.dtype) for out in outs]


def _with_dtype(out: Specs, old: torch.dtype, new: torch.dtype) -> Specs:
    if isinstance(out, list):
        return [_with_dtype(one, old, new) for one in out]  # type: ignore[misc]  # lists do not nest
    return out._replace(dtype=new) if out is not None and out.dtype == old else out


_USUAL = (torch.float32, torch.int64, torch.int32, torch.bool, torch.uint8, torch.float64, torch.int8)


def _infer_mixed(op: OpDef, inputs: list[Specs], attrs: dict[str, Any]) -> list[Specs]:
    """Infers; where dtypes are mixed, which Fluid rejects at run time alone, all inputs get the dtype of the first."""
    try:
        return _infer(op, inputs, attrs)
    except DtypeError as error:
        first = next((spec.dtype for spec in inputs if isinstance(spec, Spec)), torch.bool)
        for every in (False, True) if first is not torch.bool else ():
            alike = [_cast_spec(spec, first, every) for spec in inputs]
            if alike != inputs:
                with contextlib.suppress(EnforceNotMet):
                    return _infer(op, alike, attrs)
        raise error


def _cast_spec(spec: Specs, dtype: torch.dtype, every: bool) -> Specs:
    """The spec with another dtype, if both are floating point or `every` number is meant."""
    if not isinstance(spec, Spec) or spec.dtype is torch.bool:
        return spec
    both = spec.dtype.is_floating_point and dtype.is_floating_point
    return spec._replace(dtype=dtype) if both or every else spec


def _guesses(inputs: list[Specs]) -> Iterator[list[Specs]]:
    """The inputs with small numbers for unknown last sizes: a box has 4, a point 2, a label 1."""
    places = [i for i, spec in enumerate(inputs) if isinstance(spec, Spec) and spec.shape[1:] and spec.shape[-1] < 0]
    for sizes in itertools.product((1, 4, 2, 3, -1), repeat=min(len(places), 3)):
        guess = list(inputs)
        for i, size in zip(places, sizes, strict=False):
            spec = inputs[i]
            assert isinstance(spec, Spec)
            guess[i] = spec._replace(shape=(*spec.shape[:-1], size))
        yield guess


def _try(op: OpDef, inputs: list[Specs], attrs: dict[str, Any], stand_in: int) -> list[Any] | Exception:
    values = [_meta(spec, stand_in) for spec in inputs]
    args = [
        None if p.kind == "lod" else _shape(values[p.slot]) if p.kind == "shape" else values[p.slot] for p in op.params
    ]
    kwargs = op.kernel_attrs(attrs)
    for name in op.engine:
        kwargs[name] = {"device": META, "rng": None, "needs": (True,) * len(op.outputs)}[name]
    try:
        with Sizing():
            outs = op.kernel(*args, **kwargs)
    except EnforceNotMet as error:
        return error
    except (RuntimeError, IndexError, TypeError, ValueError, AttributeError, NotImplementedError) as error:
        slots = [(slot.name, value) for slot, value in zip(op.inputs, values, strict=False)]
        refused = wrong_attr(op, attrs) or refusal(error, slots) or unfit(error, slots)
        refused.__cause__ = error
        return refused
    return [outs] if op.single else list(outs)


META = torch.device("meta")


def _meta(spec: Specs, stand_in: int) -> Any:
    if spec is None:
        return None
    if isinstance(spec, list):
        return [_meta(s, stand_in) for s in spec]
    return torch.empty([stand_in if n < 0 else n for n in spec.shape], dtype=spec.dtype, device=META)


def _shape(value: Tensor | list[Tensor] | None) -> torch.Size | list[torch.Size] | None:
    return [v.shape for v in value] if isinstance(value, list) else None if value is None else value.shape


def _unknown(inputs: list[Specs]) -> int:
    """How many sizes of one input are unknown, at most."""
    flat = [s for spec in inputs for s in (spec if isinstance(spec, list) else [spec])]
    return max((sum(n < 0 for n in spec.shape) for spec in flat if spec is not None), default=0)


def _aligned(inputs: list[Specs]) -> list[Specs]:
    """The inputs, where a size behind the first that is unknown in one is that of the others, if they agree."""
    flat = [s for spec in inputs for s in (spec if isinstance(spec, list) else [spec]) if s is not None]

    def size(spec: Spec, axis: int) -> int:
        known = {s.shape[axis] for s in flat if len(s.shape) == len(spec.shape)} - {-1}
        return known.pop() if axis and len(known) == 1 else -1

    def fitted(spec: Specs) -> Specs:
        if spec is None or isinstance(spec, list):
            return spec and [fitted(one) for one in spec]  # type: ignore[misc]  # lists do not nest
        shape = tuple(size(spec, axis) if n < 0 else n for axis, n in enumerate(spec.shape))
        return Spec(shape, spec.dtype, spec.lod_level)

    return [fitted(spec) for spec in inputs]


def _batches(inputs: list[Specs]) -> list[int]:
    """The known first sizes, where others are unknown."""
    flat = [s for spec in inputs for s in (spec if isinstance(spec, list) else [spec])]
    first = [spec.shape[0] for spec in flat if spec is not None and spec.shape]
    return sorted({n for n in first if n > 0}) if -1 in first else []


def _merge(a: Any, b: Any) -> Specs:
    if a is None:
        return None
    if isinstance(a, list | tuple):
        return [_merge(x, y) for x, y in zip(a, b, strict=True)]  # type: ignore[misc]  # lists do not nest
    return Spec(tuple(m if m == n else -1 for m, n in zip(a.shape, b.shape, strict=True)), a.dtype)


def _as_specs(out: Any) -> Specs:
    if out is None or isinstance(out, Spec):
        return out
    if isinstance(out, list):
        return out
    return Spec(*out)


def _without_stand_ins(first: Any, second: Any) -> Exception:
    """The error, with -1 for every number that depends on the stand-in."""
    if not isinstance(first, Exception):
        return second
    if isinstance(second, EnforceNotMet) and isinstance(first, EnforceNotMet):
        first_words, second_words = re.split(r"(\d+)", first.summary), re.split(r"(\d+)", second.summary)
        if len(first_words) == len(second_words):
            first.summary = "".join(a if a == b else "-1" for a, b in zip(first_words, second_words, strict=True))
            first.args = (first.summary,)
    return first


def _key(op: OpDef, inputs: list[Specs], attrs: dict[str, Any]) -> Hashable:
    return (
        op.type,
        tuple(tuple(spec) if isinstance(spec, list) else spec for spec in inputs),
        tuple(_frozen(attrs[name]) for name in op.attrs if name in attrs),
    )


def _frozen(value: object) -> Hashable:
    if isinstance(value, list | tuple):
        return tuple(_frozen(v) for v in value)
    # 1, 1.0 and True are equal and hash alike, but may infer different dtypes.
    return value if value.__hash__ is None else (type(value), value)
