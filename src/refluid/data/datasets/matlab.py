"""The arrays of a MATLAB 5 file, as far as the data sets use it: real numeric matrices, packed or not."""

import struct
import zlib
from collections.abc import Iterator

import numpy as np

from refluid.core.errors import DataFileError

_KINDS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, _PACKED = 14, 15


def load(path: str) -> dict[str, np.ndarray]:
    """The matrices of a file by name."""
    with open(path, "rb") as file:
        content = file.read()
    if content[126:128] not in (b"IM", b"MI"):
        raise DataFileError(f"{path} is not a MATLAB 5 file")
    order = "<" if content[126:128] == b"IM" else ">"
    arrays = {}
    try:
        for kind, data in _elements(content[128:], order):
            if kind == _PACKED:
                ((kind, data),) = _elements(zlib.decompress(data), order)
            if kind == _MATRIX:
                name, array = _matrix(data, order)
                arrays[name] = array
    except (struct.error, zlib.error, KeyError) as problem:
        raise DataFileError(f"{path} is damaged or holds more than matrices of numbers ({problem!r})") from problem
    return arrays


def _elements(data: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    offset = 0
    while offset < len(data):
        kind, size = struct.unpack_from(f"{order}II", data, offset)
        if kind >> 16:  # a small element: size and kind share a word, the data are in the next
            kind, size = kind & 0xFFFF, kind >> 16
            yield kind, data[offset + 4 : offset + 4 + size]
            offset += 8
        else:
            yield kind, data[offset + 8 : offset + 8 + size]
            offset += 8 + size + (-size % 8 if kind != _PACKED else 0)


def _matrix(data: bytes, order: str) -> tuple[str, np.ndarray]:
    _, shape, name, (kind, values) = list(_elements(data, order))[:4]
    sizes = np.frombuffer(shape[1], f"{order}i4")
    array = np.frombuffer(values, f"{order}{_KINDS[kind]}").reshape(sizes, order="F")
    return name[1].decode("ascii"), array
