"""What a state file may hold: arrays and the few functions that pickles make them with, all of this module."""

from __future__ import annotations

import codecs
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np

_PIECE = 1 << 20
_DEPTH = 100  # of containers in containers


class Source(Protocol):
    """Where large texts stay until they are needed."""

    def at(self, start: int, size: int) -> bytes: ...


class Refused(Exception):
    """What is wrong with the file; `read_pickle` adds which file."""


@dataclass(frozen=True)
class Span:
    """Bytes of the file that are read when they are needed; `text`: a Latin-1 text in UTF-8."""

    source: Source
    start: int
    size: int
    text: bool

    def value(self) -> str | bytes:
        raw = self.source.at(self.start, self.size)
        return decode(raw) if self.text else raw

    def pieces(self) -> Iterator[bytes]:
        """The bytes, or the Latin-1 code of the text, a piece at a time."""
        decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")
        for start in range(0, self.size, _PIECE):
            raw = self.source.at(self.start + start, min(_PIECE, self.size - start))
            yield decoder.decode(raw).encode("latin-1") if self.text else raw
        if self.text:
            decoder.decode(b"", final=True)


class Blank:
    """An array or dtype between its making and its state; `value` is None until then."""

    def __init__(self, build: Callable[[Any], Any], value: object = None):
        self.build, self.value = build, value


def decode(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")


def _plain(value: object) -> object:
    return value.value if isinstance(value, Blank) else value


def said(value: object) -> str:
    """A value in an error message: numbers and texts only, since printing others may take for ever."""
    return repr(value)[:80] if isinstance(value, str | bytes | int | float) else f"a {type(value).__name__}"


def finished(value: object, done: dict[int, Any], depth: int) -> Any:
    """The value with arrays in place of blanks and texts in place of spans; `done` holds containers by identity."""
    if isinstance(value, Blank):
        if not isinstance(value.value, np.ndarray | dict):
            raise Refused("an array has no data")
        return finished(value.value, done, depth) if isinstance(value.value, dict) else value.value
    if isinstance(value, Span):
        return value.value()
    if isinstance(value, dict | list | tuple):
        if depth > _DEPTH:
            raise Refused(f"containers are nested more than {_DEPTH} deep")
        if id(value) not in done:
            done[id(value)] = value
            done[id(value)] = _finished_container(value, done, depth + 1)
        return done[id(value)]
    if not isinstance(value, str | bytes | int | float | bool | type(None) | np.generic | np.ndarray):
        raise Refused("a name is in place of a value")
    return value


def _finished_container(value: dict | list | tuple, done: dict[int, Any], depth: int) -> dict | list | tuple:
    if isinstance(value, tuple):
        return tuple([finished(item, done, depth) for item in value])
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        value[key] = finished(item, done, depth)
    return value


# -- what a file may name -----------------------------------------------------------------------------------------


def _ndarray(*_: object) -> NoReturn:
    raise Refused("an array is made in a way that numpy does not use")


def _reconstruct(kind: object, shape: Sequence[int] = (0,), code: object = b"b") -> Blank:
    if kind is not _ndarray:
        raise Refused("something other than an array is made like one")
    return Blank(_array_state)


def _array_state(state: tuple) -> np.ndarray:
    _, shape, dtype, fortran, data = state
    return _array(data, dtype, shape, "F" if fortran else "C")


def _array(data: object, dtype: object, shape: Sequence[int], order: object = "C") -> np.ndarray:
    kind = _plain(dtype)
    if not isinstance(kind, np.dtype) or order not in ("C", "F"):
        raise Refused("an array has no dtype")
    if not isinstance(shape, tuple) or len(shape) > 32 or not all(type(n) is int and n >= 0 for n in shape):
        raise Refused("an array has an impossible shape")
    data = data.encode("latin-1") if isinstance(data, str) else data
    size = math.prod(shape) * kind.itemsize
    if not isinstance(data, bytes | Span) or not (size <= data.size if isinstance(data, Span) else size == len(data)):
        raise Refused(f"an array of shape {shape} and {kind} does not fit its data")
    array = np.empty(size, np.uint8)
    filled = 0
    for piece in data.pieces() if isinstance(data, Span) else [data]:
        array[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
        filled += len(piece)
    if filled != size:
        raise Refused(f"an array of shape {shape} and {kind} does not fit its data")
    if kind == np.bool_ and size and array.max() > 1:
        raise Refused("an array of booleans holds other numbers")
    return array.view(kind).astype(kind.newbyteorder("="), copy=False).reshape(shape, order=order)


def _dtype(code: object, align: object = False, copy: object = True) -> Blank:
    code = code.decode("ascii") if isinstance(code, bytes) else code
    if not isinstance(code, str) or code.lstrip("<>|=") not in _DTYPE_CODES:
        raise Refused(f"an array has the dtype {said(code)}; only numbers and booleans are read")
    return Blank(dtype_state, np.dtype(code))


def dtype_state(parts: tuple) -> np.dtype:
    """A dtype is built with its byte order; all else must be what numbers have."""
    kind, state = parts
    order = state[1].decode("ascii") if isinstance(state[1], bytes) else state[1]
    if order not in ("<", ">", "|", "=") or any(item is not None for item in state[2:5]):
        raise Refused("an array has a dtype with a structure; only numbers and booleans are read")
    return kind.newbyteorder(order) if order != "|" else kind


def _scalar(dtype: object, data: object = None) -> np.generic:
    return _array(data, dtype, (1,))[0]


def _encode(text: str | Span, codec: object = "latin1") -> bytes | Span:
    if codec not in ("latin1", "latin-1", b"latin1"):
        raise Refused(f"a text is encoded with {said(codec)}")
    if isinstance(text, Span):
        return text
    return text.encode("latin-1")


def _ordered(pairs: Iterable[Any] = ()) -> OrderedDict:
    return OrderedDict((key, value) for key, value in pairs)


def _empty_bytes() -> bytes:
    return b""


# -- schedules of 1.5 -----------------------------------------------------------------------------------------------

SCHEDULE = "schedule@@"  # the key under which a dictionary says of which schedule it is the state


@dataclass(frozen=True)
class ScheduleName:
    """Stands for the class of a learning-rate schedule, which 1.5 saved whole. Nothing of it is run."""

    name: str


def new_schedule(named: object, arguments: object) -> Blank:
    """An object between its making and its state, which is all that is read of it: a dictionary."""
    if not isinstance(named, ScheduleName) or arguments != ():
        raise Refused("it makes an object that is neither an array nor a learning-rate schedule")

    def state(given: object) -> dict[str, Any]:
        if not isinstance(given, dict) or not all(isinstance(key, str) for key in given):
            raise Refused("a learning-rate schedule has no attributes")
        return {SCHEDULE: named.name, **given}

    return Blank(state)


_DTYPE_CODES = {f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)} | {"f2", "f4", "f8", "b1"}
_SCHEDULES = "Noam Piecewise NaturalExp Exponential InverseTime Polynomial Cosine".split()
SCHEDULES = {
    f"paddle.fluid.dygraph.learning_rate_scheduler.{name}Decay": ScheduleName(f"{name}Decay") for name in _SCHEDULES
}
KNOWN: dict[str, Callable] = {
    "numpy.ndarray": _ndarray,
    "numpy.dtype": _dtype,
    "_codecs.encode": _encode,
    "collections.OrderedDict": _ordered,
    "__builtin__.bytes": _empty_bytes,  # how protocol 2 spells b""
}
for _core in ("numpy.core", "numpy._core"):
    KNOWN[f"{_core}.multiarray._reconstruct"] = _reconstruct
    KNOWN[f"{_core}.multiarray.scalar"] = _scalar
    KNOWN[f"{_core}.numeric._frombuffer"] = _array
