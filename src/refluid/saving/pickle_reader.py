"""Pickles without their danger: a reader that knows arrays, plain containers and nothing else.

A pickle is a program for a small stack machine, and Python's unpickler lets it call whatever it names. This machine has
only the instructions that data need; what a file may name is in `KNOWN`, all functions of pickle_values.py. Large texts
stay in the file until an array is made of them, so that a file costs little more than the arrays in it.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from refluid.core.errors import EnforceNotMet
from refluid.saving.pickle_values import (
    KNOWN,
    SCHEDULES,
    Blank,
    Refused,
    Span,
    decode,
    dtype_state,
    finished,
    new_schedule,
    said,
)

_LARGE = 4096
_MARK = object()


def read_pickle(file: IO[bytes], path: str) -> Any:
    """The value in an open file. `path` names it in errors."""
    try:
        return _Reader(file).run()
    except Refused as problem:
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
            raise Refused("the file ends too early: it is truncated or damaged")
        return self._file.read(size)

    def number(self, form: str) -> int:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def line(self) -> str:
        data = self._file.readline(_LARGE)
        if not data.endswith(b"\n"):
            raise Refused("the file ends too early: it is truncated or damaged")
        return data[:-1].decode("ascii", "replace")

    def at(self, start: int, size: int) -> bytes:
        here = self._file.tell()
        self._file.seek(start)
        data = self.take(size)
        self._file.seek(here)
        return data

    def span(self, size: int, text: bool) -> bytes | str | Span:
        """The bytes or the text that come next, unread if they are large."""
        if size <= _LARGE:
            raw = self.take(size)
            return decode(raw) if text else raw
        start = self._file.tell()
        if size > self._size - start:
            raise Refused("the file ends too early: it is truncated or damaged")
        self._file.seek(size, os.SEEK_CUR)
        return Span(self, start, size, text)

    # -- the machine --------------------------------------------------------------------------------------------

    def run(self) -> Any:
        while True:
            code = self.take(1)
            if code == b".":
                if len(self.stack) != 1:
                    raise Refused("the file is damaged: it does not end with one value")
                return finished(self.stack.pop(), {}, 0)
            instruction = _CODES.get(code)
            if instruction is None:
                raise Refused(f"the pickle instruction {code!r} is not one that arrays and plain containers need")
            instruction(self)

    def pop(self) -> Any:
        if not self.stack or self.stack[-1] is _MARK:
            raise Refused("the file is damaged: a value is missing")
        return self.stack.pop()

    def top(self, kind: type | tuple[type, ...]) -> Any:
        if not self.stack or not isinstance(self.stack[-1], kind):
            raise Refused("the file is damaged: a container is missing")
        return self.stack[-1]

    def since_mark(self) -> list[Any]:
        values = []
        while self.stack and self.stack[-1] is not _MARK:
            values.append(self.stack.pop())
        if not self.stack:
            raise Refused("the file is damaged: a mark is missing")
        self.stack.pop()
        return values[::-1]

    def push(self, value: object) -> None:
        self.stack.append(value)

    def extend(self, values: list[Any]) -> None:
        self.top(list).extend(values)

    def set_items(self, values: list[Any]) -> None:
        if len(values) % 2:
            raise Refused("the file is damaged: a key without a value")
        target = self.top(dict)
        for key, value in zip(values[::2], values[1::2], strict=True):
            if not isinstance(key, str | int | float | bytes):
                raise Refused(f"a key of a dictionary is a {type(key).__name__}")
            target[key] = value

    def put(self, number: int) -> None:
        value = self.pop()
        self.memo[number] = value
        self.push(value)

    def get(self, number: int) -> None:
        if number not in self.memo:
            raise Refused("the file is damaged: it refers to a value that it does not have")
        self.push(self.memo[number])

    def name(self, module: object, name: object) -> None:
        full = f"{module}.{name}" if isinstance(module, str) and isinstance(name, str) else ""
        known = KNOWN.get(full) or SCHEDULES.get(full)
        if known is None:
            raise Refused(
                f"it wants to use {said(module)} {said(name)}; only numpy arrays and plain containers are read"
            )
        self.push(known)

    def reduce(self) -> None:
        arguments, function = self.pop(), self.pop()
        if function not in KNOWN.values() or not isinstance(arguments, tuple):
            raise Refused("the file is damaged: it calls what is no function")
        value = function(*arguments)
        self.charge(value)
        self.push(value)

    def new(self) -> None:
        arguments, named = self.pop(), self.pop()
        self.push(new_schedule(named, arguments))

    def build(self) -> None:
        state, target = self.pop(), self.pop()
        if not isinstance(target, Blank) or (target.value is not None and target.build is not dtype_state):
            raise Refused("it sets the state of something that is no array")
        if target.build is dtype_state:
            target.value = dtype_state((target.value, state))
        else:
            target.value = target.build(state)
            self.charge(target.value)
        self.push(target)

    def charge(self, made: object) -> None:
        """All arrays together hold no more than the file: data that a file repeats by reference are an attack."""
        self.budget -= made.nbytes if isinstance(made, np.ndarray) else 0
        if self.budget < 0:
            raise Refused("the arrays are larger than the file")


# -- the instructions ---------------------------------------------------------------------------------------------


def _proto(reader: _Reader) -> None:
    version = reader.number("<B")
    if version > 5:
        raise Refused(f"pickle protocol {version} is not known")


def _skip_frame(reader: _Reader) -> None:
    reader.take(8)


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
    b"\x95": _skip_frame,  # a frame: how much is worth reading ahead
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
    b"\x81": _Reader.new,
}


def _old_str(data: object) -> object:
    return data.decode("latin-1") if isinstance(data, bytes) else data
