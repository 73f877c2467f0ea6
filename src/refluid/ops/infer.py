"""Shapes and dtypes of outputs, found by running the kernel on meta tensors.

Unknown sizes (-1) are stood in for by 2520 and, in a second run, 5040; every size that moved is unknown. Both are
divisible by 1 to 10, so that reshaping [-1, 6] to [-1, 4] passes. Operators that every program has tell their shapes
themselves (`like=`, `@name.infer`): a meta kernel of torch takes up to a millisecond, and the first one imports its
compiler, which takes seconds. No message ever shows a stand-in: an error raised for
both is told with -1 where the two tellings differ.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any, NamedTuple

import torch

from refluid.core.errors import EnforceNotMet
from refluid.ops.checks import wrong_attr
from refluid.ops.failure import refusal, unfit
from refluid.ops.registry import OpDef

STAND_INS = (2520, 5040)


class Spec(NamedTuple):
    """What is known of a value before it exists."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    lod_level: int = -1  # of an output, -1: as its operator's LoD rule has it


Specs = Spec | None | list[Spec]

_cache: dict[Any, list[Specs]] = {}


def infer(op: OpDef, inputs: list[Specs], attrs: dict[str, Any]) -> list[Specs]:
    """The spec of every output slot. `attrs` are complete; raises the kernel's own error without context."""
    if "sub_block" in attrs:  # it would be kept, with its whole program
        return _infer(op, inputs, attrs)
    key = _key(op, inputs, attrs)
    found = _cache.get(key)
    if found is None:
        found = _infer(op, inputs, attrs)
        if len(_cache) > 20_000:
            _cache.clear()
        _cache[key] = found
    return found


def _infer(op: OpDef, inputs: list[Specs], attrs: dict[str, Any]) -> list[Specs]:
    if op.like is not None:
        return [inputs[op.like]]
    if op.infer_rule is not None:
        try:
            told = op.infer_rule(inputs, attrs)
        except (TypeError, AttributeError) as error:
            raise wrong_attr(op, attrs) or error from None
        if told is not None:
            return [_as_specs(out) for out in told]
    if len(op.inplace) == len(op.outputs):
        return [inputs[op.inplace[i]] for i in range(len(op.outputs))]
    first, second = _try(op, inputs, attrs, STAND_INS[0]), None
    if isinstance(first, Exception) or _has_unknown(inputs):
        second = _try(op, inputs, attrs, STAND_INS[1])
    if isinstance(first, Exception) or isinstance(second, Exception):
        # An unknown size that has to be that of another input is known after all.
        aligned = _aligned(inputs)
        if aligned != inputs:
            with contextlib.suppress(EnforceNotMet):  # if it does not help, the error is about what was given
                return _infer(op, aligned, attrs)
        for size in _batches(inputs):
            found = _try(op, inputs, attrs, size)
            if not isinstance(found, Exception):
                return [_merge(a, a) for a in found]
        raise _told_once(first, second)
    return [_merge(a, b) for a, b in zip(first, second or first, strict=True)]


def _try(op: OpDef, inputs: list[Specs], attrs: dict[str, Any], stand_in: int) -> list[Any] | Exception:
    values = [_meta(spec, stand_in) for spec in inputs]
    args = [
        None if p.kind == "lod" else _shape(values[p.slot]) if p.kind == "shape" else values[p.slot] for p in op.params
    ]
    kwargs = op.kernel_attrs(attrs)
    for name in op.engine:
        kwargs[name] = {"device": META, "rng": None, "needs": (True,) * len(op.outputs)}[name]
    try:
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


def _shape(value: Any) -> Any:
    return [v.shape for v in value] if isinstance(value, list) else None if value is None else value.shape


def _has_unknown(inputs: list[Specs]) -> bool:
    flat = [s for spec in inputs for s in (spec if isinstance(spec, list) else [spec])]
    return any(spec is not None and any(n < 0 for n in spec.shape) for spec in flat)


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


def _told_once(first: Any, second: Any) -> Exception:
    """The error, with -1 for every number that depends on the stand-in."""
    if not isinstance(first, Exception):
        return second
    if isinstance(second, EnforceNotMet) and isinstance(first, EnforceNotMet):
        one, two = re.split(r"(\d+)", first.summary), re.split(r"(\d+)", second.summary)
        if len(one) == len(two):
            first.summary = "".join(a if a == b else "-1" for a, b in zip(one, two, strict=True))
            first.args = (first.summary,)
    return first


def _key(op: OpDef, inputs: list[Specs], attrs: dict[str, Any]) -> Any:
    return (
        op.type,
        tuple(tuple(spec) if isinstance(spec, list) else spec for spec in inputs),
        tuple(_frozen(attrs[name]) for name in op.attrs if name in attrs),
    )


def _frozen(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_frozen(v) for v in value)
    # 1, 1.0 and True are equal and hash alike, but may infer different dtypes.
    return value if value.__hash__ is None else (type(value), value)
