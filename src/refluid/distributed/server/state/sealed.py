"""Seals of values, kept beside them: LMDB keeps what it was given, but does not notice when the disk does not."""

from __future__ import annotations

import struct
import zlib

from refluid.distributed.server.state.errors import StateDamaged

_SEAL = struct.Struct("<4sIQ")  # magic, CRC-32, length
_MAGIC = b"RFS1"


def seal(data: bytes | memoryview) -> bytes:
    return _SEAL.pack(_MAGIC, zlib.crc32(data), len(data))


def opened(value: memoryview, sealed: memoryview | None, what: str) -> bytes:
    """A copy of the value if its seal is that of these bytes."""
    if sealed is None or len(sealed) != _SEAL.size or bytes(sealed[:4]) != _MAGIC:
        raise StateDamaged(f"{what} is damaged: it has no seal")
    _, checksum, length = _SEAL.unpack(sealed)
    if length != len(value):
        raise StateDamaged(f"{what} is damaged: its seal tells of {length} bytes, {len(value)} are there")
    if zlib.crc32(value) != checksum:
        raise StateDamaged(f"{what} is damaged: its checksum is not that of its {length} bytes")
    return bytes(value)
