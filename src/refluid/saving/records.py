"""Messages of program files, read and written by ourselves: protobuf's wire format over the tables in schema.py.

Protobuf has two implementations, and old generated code (`*_pb2.py` from before 2022) needs the slow one, which
`import paddle` therefore chooses. Program files do not pay for that: they do not go through it. A record has what is
used of a message here: fields as attributes, `add()` on repeated messages, HasField, parsing and serializing.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

_FLOAT = struct.Struct("<f")
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIRE = {"int32": _VARINT, "int64": _VARINT, "bool": _VARINT, "float": _FIXED32, "string": _BYTES}
_ZERO = {"int32": 0, "int64": 0, "bool": False, "float": 0.0, "string": b""}


class Field(NamedTuple):
    name: str
    number: int
    label: str  # req, opt or rep
    kind: str  # int32, int64, bool, float, string, or enum or message
    default: Any
    record: type[Record] | None  # the class of a message
    wire: int


class Repeated(list):
    """A list of records; `add` appends one."""

    def __init__(self, record: type[Record]):
        super().__init__()
        self._record = record

    def add(self) -> Record:
        made = self._record()
        self.append(made)
        return made


class Record:
    """One message. A field that nobody has set reads as its default; one that is a message begins when it is read."""

    readers: dict[int, tuple]
    by_name: dict[str, Field]
    in_order: list[tuple[Field, bytes]]  # with their tags
    required: frozenset[str]

    def __init__(self, **values: object):
        self.__dict__.update(values)

    if TYPE_CHECKING:  # fields are set as attributes

        def __setattr__(self, name: str, value: object) -> None: ...

    def __getattr__(self, name: str) -> Any:
        field = type(self).by_name.get(name)
        if field is None:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        if field.label == "rep":
            values = self.__dict__[name] = [] if field.record is None else Repeated(field.record)
            return values
        if field.record is not None:
            value = self.__dict__[name] = field.record()
            return value
        return field.default

    def HasField(self, name: str) -> bool:
        return name in self.__dict__

    def ParseFromString(self, data: bytes) -> None:
        self.__dict__.clear()
        _read(self, data, 0, len(data))

    def SerializeToString(self) -> bytes:
        return _written(self)


# -- writing --------------------------------------------------------------------------------------------------------


def _varint_of(value: int) -> bytes:
    if 0 <= value < 0x80:
        return _SMALL[value]
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_SMALL = [bytes([value]) for value in range(0x80)]


def _whole(field: Field, value: SupportsIndex) -> int:
    number = operator.index(value)
    bits = 63 if field.kind == "int64" else 31
    if not -(1 << bits) <= number < 1 << bits:
        raise ValueError(f"{field.name}: {number} does not fit into {field.kind}")
    return number


def _written(record: Record) -> bytes:
    values = record.__dict__
    parts: list[bytes] = []
    for name in record.required:
        if name not in values:
            raise ValueError(f"{type(record).__name__} has no {name}")
    for field, tag in type(record).in_order:
        value = values.get(field.name)
        if value is None:
            continue
        for item in value if field.label == "rep" else (value,):
            if field.wire == _BYTES:
                inner = item if field.record is None else _written(item)
                parts += tag, _varint_of(len(inner)), inner
            elif field.kind == "float":
                parts += tag, _FLOAT.pack(item)
            else:
                parts += tag, _varint_of(_whole(field, item))
    return b"".join(parts)


# -- reading --------------------------------------------------------------------------------------------------------


def _varint(data: bytes, position: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while position < end and shift < 70:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, position
        shift += 7
    raise ValueError("a number is truncated")


def _read(record: Record, data: bytes, position: int, end: int) -> None:
    """Set the fields that stand from `position` to `end`. Tags and lengths below 128 are read on the spot: most are."""
    readers, values = type(record).readers, record.__dict__
    while position < end:
        tag = data[position]
        position += 1
        if tag >= 0x80:
            tag, position = _varint(data, position - 1, end)
        name, repeated, inner, number = readers.get(tag, _UNKNOWN)
        if tag & 7 == _BYTES:
            size = data[position] if position < end else 0x80
            position += 1
            if size >= 0x80:
                size, position = _varint(data, position - 1, end)
            stop = position + size
            if stop > end:
                raise ValueError("a field is truncated")
            if inner is not None:
                value = values.get(name) if not repeated else None  # parts of one message are put together
                value = inner.__new__(inner) if value is None else value
                _read(value, data, position, stop)
            elif number is not None:  # numbers side by side in one field
                values.setdefault(name, []).extend(_numbers(number, data, position, stop))
                position = stop
                continue
            else:
                value = data[position:stop]
            position = stop
        elif tag & 7 == _VARINT:
            value, position = _varint(data, position, end)
            value = number(value) if number is not None else value
        else:
            size = {_FIXED32: 4, _FIXED64: 8}.get(tag & 7, end)
            if position + size > end:
                raise ValueError(f"a field of kind {tag & 7} is truncated")
            value = _FLOAT.unpack_from(data, position)[0]
            position += size
        if name is None:
            continue  # a field of a later release
        if not repeated:
            values[name] = value
        elif name in values:
            values[name].append(value)
        else:
            getattr(record, name).append(value)
    for name in record.required:
        if name not in values:
            raise ValueError(f"{type(record).__name__} has no {name}")


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _signed32(number: int) -> int:
    number &= 0xFFFFFFFF
    return number - (1 << 32) if number >> 31 else number


_NUMBERS: dict[str, Callable[[int], Any]] = {"bool": bool, "int32": _signed32, "enum": _signed32, "int64": _signed}
_UNKNOWN = (None, False, None, None)


def _numbers(number: Callable[[int], Any], data: bytes, offset: int, stop: int) -> Iterator[Any]:
    if number is float:
        yield from (value for (value,) in _FLOAT.iter_unpack(data[offset:stop]))
        return
    while offset < stop:
        value, offset = _varint(data, offset, stop)
        yield number(value)


# -- classes --------------------------------------------------------------------------------------------------------


def records(messages: Mapping[str, str], enums: Mapping[str, Any]) -> dict[str, type[Record]]:
    """A class for every message of a table; see `protobuf.Messages` for what the lines say."""
    classes: dict[str, Any] = {full: type(full.rpartition(".")[2], (Record,), {}) for full in messages}
    for full, text in messages.items():
        fields = [_field(line.split(), classes, enums) for line in text.splitlines()]
        fields.sort(key=lambda field: field.number)
        cls = classes[full]
        cls.by_name = {field.name: field for field in fields}
        cls.readers = dict(entry for field in fields for entry in _reader(field))
        cls.in_order = [(field, _varint_of(field.number << 3 | field.wire)) for field in fields]
        cls.required = frozenset(field.name for field in fields if field.label == "req")
    return classes


def _reader(field: Field) -> Iterator[tuple[int, tuple]]:
    """{tag: (name, whether repeated, record, what makes a number of a varint)} of a field."""
    repeated, number = field.label == "rep", _NUMBERS.get(field.kind)
    yield field.number << 3 | field.wire, (field.name, repeated, field.record, number)
    if repeated and field.wire != _BYTES:
        yield field.number << 3 | _BYTES, (field.name, True, None, number or float)


def _field(words: list[str], messages: dict[str, Any], enums: Mapping[str, Any]) -> Field:
    number, name, label, kind, *default = words
    if kind.startswith("."):
        full = kind[1:]
        return Field(
            name,
            int(number),
            label,
            "enum" if full in enums else "message",
            0,
            messages.get(full),
            _VARINT if full in enums else _BYTES,
        )
    zero: Any = _ZERO[kind]
    written = default[0][1:] if default else None
    value = zero if written is None else written == "true" if kind == "bool" else type(zero)(written)
    return Field(name, int(number), label, kind, value, None, _WIRE[kind])
