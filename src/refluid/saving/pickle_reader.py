"""Pickles without their danger: a reader that knows arrays, plain containers and nothing else.

A pickle is a program for a small stack machine, and Python's unpickler lets it call whatever it names. This machine has
only the instructions that data need; what a file may name is in `_KNOWN`, and those are functions of this module. Large
texts stay in the file until an array is made of them, so that a file costs little more than the arrays in it.
"""

from __future__ import annotations

import codecs
import math
import os
import struct
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from refluid.core.errors import EnforceNotMet

_LARGE = 4096
_PIECE = 1 << 20
_MARK = object()
_DEPTH = 100  # of containers in containers


class _Refused(Exception):
    """What is wrong with the file; `read_pickle` adds which file."""


@dataclass(frozen=True)
class _Span:
    """Bytes of the file that are read when they are needed; `text`: a Latin-1 text in UTF-8."""

    reader: _Reader
    start: int
    size: int
    text: bool

    def value(self) -> str | bytes:
        raw = self.reader.at(self.start, self.size)
        return _utf8(raw) if self.text else raw

    def pieces(self) -> Iterator[bytes]:
        """The bytes, or the Latin-1 code of the text, a piece at a time."""
        decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")
        for start in range(0, self.size, _PIECE):
            raw = self.reader.at(self.start + start, min(_PIECE, self.size - start))
            yield decoder.decode(raw).encode("latin-1") if self.text else raw
        if self.text:
            decoder.decode(b"", final=True)


class _Blank:
    """An array or dtype between its making and its state; `value` is None until then."""

    def __init__(self, build: Callable[[Any], Any], value: Any = None):
        self.build, self.value = build, value


def read_pickle(file: IO[bytes], path: str) -> Any:
    """The value in an open file. `path` names it in errors."""
    try:
        return _Reader(file).run()
    except _Refused as problem:
        raise EnforceNotMet(f"{path}: {problem}") from None
    except (ValueError, TypeError, AttributeError, KeyError, IndexError, OverflowError, struct.error) as error:
        raise EnforceNotMet(f"{path}: the file is damaged ({type(error).__name__})") from None


class _Reader:
    def __init__(self, file: IO[bytes]):
        self._file = file
        self._size = file.seek(0, os.SEEK_END)
        file.seek(0)
        self.budget = self._size
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    # -- bytes --------------------------------------------------------------------------------------------------

    def take(self, size: int) -> bytes:
        if not 0 <= size <= self._size - self._file.tell():
            raise _Refused("the file ends too early: it is truncated or damaged")
        return self._file.read(size)

    def number(self, form: str) -> int:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def line(self) -> str:
        data = self._file.readline(_LARGE)
        if not data.endswith(b"\n"):
            raise _Refused("the file ends too early: it is truncated or damaged")
        return data[:-1].decode("ascii", "replace")

    def at(self, start: int, size: int) -> bytes:
        here = self._file.tell()
        self._file.seek(start)
        data = self.take(size)
        self._file.seek(here)
        return data

    def span(self, size: int, text: bool) -> Any:
        """The bytes or the text that come next, unread if they are large."""
        if size <= _LARGE:
            raw = self.take(size)
            return _utf8(raw) if text else raw
        start = self._file.tell()
        if size > self._size - start:
            raise _Refused("the file ends too early: it is truncated or damaged")
        self._file.seek(size, os.SEEK_CUR)
        return _Span(self, start, size, text)

    # -- the machine --------------------------------------------------------------------------------------------

    def run(self) -> Any:
        while True:
            code = self.take(1)
            if code == b".":
                if len(self.stack) != 1:
                    raise _Refused("the file is damaged: it does not end with one value")
                return _finished(self.stack.pop(), {}, 0)
            instruction = _CODES.get(code)
            if instruction is None:
                raise _Refused(f"the pickle instruction {code!r} is not one that arrays and plain containers need")
            instruction(self)

    def pop(self) -> Any:
        if not self.stack or self.stack[-1] is _MARK:
            raise _Refused("the file is damaged: a value is missing")
        return self.stack.pop()

    def top(self, kind: type | tuple[type, ...]) -> Any:
        if not self.stack or not isinstance(self.stack[-1], kind):
            raise _Refused("the file is damaged: a container is missing")
        return self.stack[-1]

    def since_mark(self) -> list[Any]:
        values = []
        while self.stack and self.stack[-1] is not _MARK:
            values.append(self.stack.pop())
        if not self.stack:
            raise _Refused("the file is damaged: a mark is missing")
        self.stack.pop()
        return values[::-1]

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def extend(self, values: list[Any]) -> None:
        self.top(list).extend(values)

    def set_items(self, values: list[Any]) -> None:
        if len(values) % 2:
            raise _Refused("the file is damaged: a key without a value")
        target = self.top(dict)
        for key, value in zip(values[::2], values[1::2], strict=True):
            if not isinstance(key, str | int | float | bytes):
                raise _Refused(f"a key of a dictionary is a {type(key).__name__}")
            target[key] = value

    def put(self, number: int) -> None:
        value = self.pop()
        self.memo[number] = value
        self.push(value)

    def get(self, number: int) -> None:
        if number not in self.memo:
            raise _Refused("the file is damaged: it refers to a value that it does not have")
        self.push(self.memo[number])

    def name(self, module: Any, name: Any) -> None:
        known = _KNOWN.get(f"{module}.{name}") if isinstance(module, str) and isinstance(name, str) else None
        if known is None:
            raise _Refused(
                f"it wants to use {_said(module)} {_said(name)}; only numpy arrays and plain containers are read"
            )
        self.push(known)

    def reduce(self) -> None:
        arguments, function = self.pop(), self.pop()
        if function not in _KNOWN.values() or not isinstance(arguments, tuple):
            raise _Refused("the file is damaged: it calls what is no function")
        made = function(*arguments)
        self.charge(made)
        self.push(made)

    def build(self) -> None:
        state, target = self.pop(), self.pop()
        if not isinstance(target, _Blank) or (target.value is not None and target.build is not _dtype_state):
            raise _Refused("it sets the state of something that is no array")
        if target.build is _dtype_state:
            target.value = _dtype_state((target.value, state))
        else:
            target.value = target.build(state)
            self.charge(target.value)
        self.push(target)

    def charge(self, made: Any) -> None:
        """All arrays together hold no more than the file: data that a file repeats by reference are an attack."""
        self.budget -= made.nbytes if isinstance(made, np.ndarray) else 0
        if self.budget < 0:
            raise _Refused("the arrays are larger than the file")


def _utf8(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, _Blank) else value


def _said(value: Any) -> str:
    """A value in an error message: numbers and texts only, since printing others may take for ever."""
    return repr(value)[:80] if isinstance(value, str | bytes | int | float) else f"a {type(value).__name__}"


def _finished(value: Any, done: dict[int, Any], depth: int) -> Any:
    """The value with arrays in place of blanks and texts in place of spans; `done` holds containers by identity."""
    if isinstance(value, _Blank):
        if not isinstance(value.value, np.ndarray):
            raise _Refused("an array has no data")
        return value.value
    if isinstance(value, _Span):
        return value.value()
    if isinstance(value, dict | list | tuple):
        if depth > _DEPTH:
            raise _Refused(f"containers lie more than {_DEPTH} deep in one another")
        if id(value) not in done:
            done[id(value)] = value
            done[id(value)] = _finished_container(value, done, depth + 1)
        return done[id(value)]
    if not isinstance(value, str | bytes | int | float | bool | type(None) | np.generic | np.ndarray):
        raise _Refused("a name stands where a value should be")
    return value


def _finished_container(value: Any, done: dict[int, Any], depth: int) -> Any:
    if isinstance(value, tuple):
        return tuple([_finished(item, done, depth) for item in value])
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        value[key] = _finished(item, done, depth)
    return value


# -- what a file may name -----------------------------------------------------------------------------------------


def _ndarray(*_: Any) -> Any:
    raise _Refused("an array is made in a way that numpy does not use")


def _reconstruct(kind: Any, shape: Any = (0,), code: Any = b"b") -> _Blank:
    if kind is not _ndarray:
        raise _Refused("something other than an array is made like one")
    return _Blank(_array_state)


def _array_state(state: Any) -> np.ndarray:
    _, shape, dtype, fortran, data = state
    return _array(data, dtype, shape, "F" if fortran else "C")


def _array(data: Any, dtype: Any, shape: Any, order: Any = "C") -> np.ndarray:
    kind = _plain(dtype)
    if not isinstance(kind, np.dtype) or order not in ("C", "F"):
        raise _Refused("an array has no dtype")
    if not isinstance(shape, tuple) or len(shape) > 32 or not all(type(n) is int and n >= 0 for n in shape):
        raise _Refused("an array has an impossible shape")
    data = data.encode("latin-1") if isinstance(data, str) else data
    size = math.prod(shape) * kind.itemsize
    if not isinstance(data, bytes | _Span) or not (size <= data.size if isinstance(data, _Span) else size == len(data)):
        raise _Refused(f"an array of shape {shape} and {kind} does not fit its data")
    array = np.empty(size, np.uint8)
    filled = 0
    for piece in data.pieces() if isinstance(data, _Span) else [data]:
        array[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
        filled += len(piece)
    if filled != size:
        raise _Refused(f"an array of shape {shape} and {kind} does not fit its data")
    if kind == np.bool_ and size and array.max() > 1:
        raise _Refused("an array of booleans holds other numbers")
    return array.view(kind).astype(kind.newbyteorder("="), copy=False).reshape(shape, order=order)


def _dtype(code: Any, align: Any = False, copy: Any = True) -> _Blank:
    code = code.decode("ascii") if isinstance(code, bytes) else code
    if not isinstance(code, str) or code.lstrip("<>|=") not in _DTYPE_CODES:
        raise _Refused(f"an array has the dtype {_said(code)}; only numbers and booleans are read")
    return _Blank(_dtype_state, np.dtype(code))


def _dtype_state(parts: Any) -> np.dtype:
    """A dtype is built with its byte order; all else must be what numbers have."""
    kind, state = parts
    order = state[1].decode("ascii") if isinstance(state[1], bytes) else state[1]
    if order not in ("<", ">", "|", "=") or any(item is not None for item in state[2:5]):
        raise _Refused("an array has a dtype with a structure; only numbers and booleans are read")
    return kind.newbyteorder(order) if order != "|" else kind


def _scalar(dtype: Any, data: Any = None) -> Any:
    return _array(data, dtype, (1,))[0]


def _encode(text: Any, codec: Any = "latin1") -> Any:
    if codec not in ("latin1", "latin-1", b"latin1"):
        raise _Refused(f"a text is encoded with {_said(codec)}")
    if isinstance(text, _Span):
        return text
    return text.encode("latin-1")


def _ordered(pairs: Any = ()) -> OrderedDict:
    return OrderedDict((key, value) for key, value in pairs)


def _empty_bytes() -> bytes:
    return b""


_DTYPE_CODES = {f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)} | {"f2", "f4", "f8", "b1"}
_KNOWN: dict[str, Callable] = {
    "numpy.ndarray": _ndarray,
    "numpy.dtype": _dtype,
    "_codecs.encode": _encode,
    "collections.OrderedDict": _ordered,
    "__builtin__.bytes": _empty_bytes,  # how protocol 2 spells b""
}
for _core in ("numpy.core", "numpy._core"):
    _KNOWN[f"{_core}.multiarray._reconstruct"] = _reconstruct
    _KNOWN[f"{_core}.multiarray.scalar"] = _scalar
    _KNOWN[f"{_core}.numeric._frombuffer"] = _array


# -- the instructions ---------------------------------------------------------------------------------------------


def _proto(reader: _Reader) -> None:
    version = reader.number("<B")
    if version > 5:
        raise _Refused(f"pickle protocol {version} is not known")


def _long(reader: _Reader, size: int) -> None:
    reader.push(int.from_bytes(reader.take(size), "little", signed=True))


def _tuple(count: int) -> Callable[[_Reader], None]:
    def make(reader: _Reader) -> None:
        reader.push(tuple([reader.pop() for _ in range(count)][::-1]))

    return make


def _set_item(reader: _Reader) -> None:
    value, key = reader.pop(), reader.pop()
    reader.set_items([key, value])


def _append(reader: _Reader) -> None:
    value = reader.pop()
    reader.extend([value])


def _stack_global(reader: _Reader) -> None:
    name, module = reader.pop(), reader.pop()
    reader.name(module, name)


_CODES: dict[bytes, Callable[[_Reader], None]] = {
    b"\x80": _proto,
    b"\x95": lambda r: r.number("<Q") and None,  # a frame: how much is worth reading ahead
    b"(": lambda r: r.push(_MARK),
    b"N": lambda r: r.push(None),
    b"\x88": lambda r: r.push(True),
    b"\x89": lambda r: r.push(False),
    b"J": lambda r: r.push(r.number("<i")),
    b"K": lambda r: r.push(r.number("<B")),
    b"M": lambda r: r.push(r.number("<H")),
    b"\x8a": lambda r: _long(r, r.number("<B")),
    b"G": lambda r: r.push(struct.unpack(">d", r.take(8))[0]),
    b"X": lambda r: r.push(r.span(r.number("<I"), text=True)),
    b"\x8c": lambda r: r.push(r.span(r.number("<B"), text=True)),
    b"\x8d": lambda r: r.push(r.span(r.number("<Q"), text=True)),
    b"B": lambda r: r.push(r.span(r.number("<I"), text=False)),
    b"C": lambda r: r.push(r.span(r.number("<B"), text=False)),
    b"\x8e": lambda r: r.push(r.span(r.number("<Q"), text=False)),
    b"\x96": lambda r: r.push(r.span(r.number("<Q"), text=False)),
    # Python 2 wrote its str, which may be a name or the data of an array
    b"T": lambda r: r.push(_old_str(r.span(r.number("<I"), text=False))),
    b"U": lambda r: r.push(_old_str(r.span(r.number("<B"), text=False))),
    b"}": lambda r: r.push({}),
    b"]": lambda r: r.push([]),
    b")": lambda r: r.push(()),
    b"\x85": _tuple(1),
    b"\x86": _tuple(2),
    b"\x87": _tuple(3),
    b"t": lambda r: r.push(tuple(r.since_mark())),
    b"a": _append,
    b"e": lambda r: r.extend(r.since_mark()),
    b"s": _set_item,
    b"u": lambda r: r.set_items(r.since_mark()),
    b"q": lambda r: r.put(r.number("<B")),
    b"r": lambda r: r.put(r.number("<I")),
    b"\x94": lambda r: r.put(len(r.memo)),
    b"h": lambda r: r.get(r.number("<B")),
    b"j": lambda r: r.get(r.number("<I")),
    b"c": lambda r: r.name(r.line(), r.line()),
    b"\x93": _stack_global,
    b"R": _Reader.reduce,
    b"b": _Reader.build,
}


def _old_str(data: Any) -> Any:
    return data.decode("latin-1") if isinstance(data, bytes) else data
