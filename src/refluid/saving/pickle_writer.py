"""Pickles of plain containers and numpy arrays, protocol 2, as Fluid 1.8.5 on NumPy 1 writes them.

Python's own pickler would name modules of the NumPy that is installed, which an older one cannot find.
"""

from __future__ import annotations

import struct
from typing import IO, Any

import numpy as np

from refluid.core.errors import DtypeError


def write_pickle(value: object, file: IO[bytes]) -> None:
    """Write `value`: dicts, lists, tuples, str, bytes, numbers, None and arrays, nested as they like."""
    writer = _Writer(file)
    file.write(b"\x80\x02")
    writer.save(value, "the value")
    file.write(b".")


class _Writer:
    def __init__(self, file: IO[bytes]):
        self._write = file.write
        self._memo: dict[Any, int] = {}  # key of what may be repeated -> number
        self._count = 0

    def _put(self, key: object = None) -> None:
        """Number what is on the stack, as pickles do."""
        number, self._count = self._count, self._count + 1
        self._write(b"q" + bytes([number]) if number < 256 else b"r" + struct.pack("<I", number))
        if key is not None:
            self._memo[key] = number

    def _repeat(self, key: object) -> bool:
        number = self._memo.get(key)
        if number is None:
            return False
        self._write(b"h" + bytes([number]) if number < 256 else b"j" + struct.pack("<I", number))
        return True

    def save(self, value: object, what: str) -> None:
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool):
            self._write({None: b"N", True: b"\x88", False: b"\x89"}[value])
        elif isinstance(value, int):
            self._int(int(value))
        elif isinstance(value, float):
            self._write(b"G" + struct.pack(">d", value))
        elif isinstance(value, str):
            self._str(value)
        elif isinstance(value, bytes):
            self._bytes(value)
        elif isinstance(value, dict):
            self._dict(value, what)
        elif isinstance(value, list):
            self._list(value, what)
        elif isinstance(value, tuple):
            self._tuple(value, what)
        elif isinstance(value, np.ndarray):
            self._array(value, what)
        else:
            raise DtypeError(f"save: {what} is a {type(value).__name__}; only arrays and plain containers can be saved")

    def _int(self, value: int) -> None:
        if 0 <= value < 256:
            self._write(b"K" + bytes([value]))
        elif 0 <= value < 65536:
            self._write(b"M" + struct.pack("<H", value))
        elif -(2**31) <= value < 2**31:
            self._write(b"J" + struct.pack("<i", value))
        else:
            data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
            self._write(b"\x8a" + bytes([len(data)]) + data)

    def _str(self, value: str) -> None:
        if self._repeat(("str", value)):
            return
        self._text(value)
        self._put(("str", value))

    def _text(self, value: str) -> None:
        data = value.encode("utf-8", "surrogatepass")
        # Longer texts, arrays of 2 GB and more, have an instruction of protocol 4, which Python 3.4 and later read
        self._write(
            b"X" + struct.pack("<I", len(data)) if len(data) < 2**32 else b"\x8d" + struct.pack("<Q", len(data))
        )
        self._write(data)

    def _global(self, name: str) -> None:
        if not self._repeat(("global", name)):
            self._write(b"c" + name.replace(" ", "\n").encode() + b"\n")
            self._put(("global", name))

    def _bytes(self, value: bytes) -> None:
        """Protocol 2 has no bytes: they are the Latin-1 code of a text."""
        if value == b"b" and self._repeat("the bytes b"):
            return
        self._global("_codecs encode")
        self._text(value.decode("latin-1"))
        self._put()
        self._str("latin1")
        self._write(b"\x86")
        self._put()
        self._write(b"R")
        self._put("the bytes b" if value == b"b" else None)

    def _dict(self, value: dict, what: str) -> None:
        self._write(b"}")
        self._put()
        items = list(value.items())
        for start in range(0, len(items), 1000):
            part = items[start : start + 1000]
            self._write(b"(" if len(part) > 1 else b"")
            for key, item in part:
                self.save(key, f"a key of {what}")
                self.save(item, f"{key!r}")
            self._write(b"u" if len(part) > 1 else b"s")

    def _list(self, value: list, what: str) -> None:
        self._write(b"]")
        self._put()
        for start in range(0, len(value), 1000):
            part = value[start : start + 1000]
            self._write(b"(" if len(part) > 1 else b"")
            for item in part:
                self.save(item, what)
            self._write(b"e" if len(part) > 1 else b"a")

    def _tuple(self, value: tuple, what: str) -> None:
        if not value:
            self._write(b")")
            return
        self._write(b"(" if len(value) > 3 else b"")
        for item in value:
            self.save(item, what)
        self._write({1: b"\x85", 2: b"\x86", 3: b"\x87"}.get(len(value), b"t"))
        self._put()

    def _array(self, value: np.ndarray, what: str) -> None:
        if value.dtype.kind not in "biuf" or value.dtype.itemsize > 8:
            raise DtypeError(f"save: {what} is an array of {value.dtype}, which a state file cannot hold")
        self._global("numpy.core.multiarray _reconstruct")
        self._global("numpy ndarray")
        self.save((0,), what)
        self._bytes(b"b")
        self._write(b"\x87")
        self._put()
        self._write(b"R")
        self._put()
        self._write(b"(K\x01")
        self.save(value.shape, what)
        self._dtype(value.dtype)
        self._write(b"\x89")  # not in Fortran's order
        self._bytes(value.astype(value.dtype.newbyteorder("<"), copy=False).tobytes())
        self._write(b"t")
        self._put()
        self._write(b"b")

    def _dtype(self, dtype: np.dtype) -> None:
        if self._repeat(("dtype", dtype.str)):
            return
        self._global("numpy dtype")
        self._str(dtype.str[1:])
        self._write(b"\x89\x88\x87")
        self._put()
        self._write(b"R")
        self._put(("dtype", dtype.str))
        self._write(b"(K\x03")
        self._str("|" if dtype.itemsize == 1 else "<")
        self._write(b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t")
        self._put()
        self._write(b"b")
