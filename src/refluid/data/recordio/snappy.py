"""Snappy's framing format. Reading takes all of it; writing stores pieces as they are, which every reader takes."""

from __future__ import annotations

import struct
from functools import cache

_START = b"\xff\x06\x00\x00sNaPpY"
_PACKED, _PLAIN = 0x00, 0x01
_PIECE = 1 << 16  # the most that a frame may hold


def compress(data: bytes) -> bytes:
    """The data as frames."""
    frames = [_START]
    for at in range(0, len(data), _PIECE):
        piece = data[at : at + _PIECE]
        frames += [struct.pack("<I", _PLAIN | (len(piece) + 4) << 8), struct.pack("<I", _checksum(piece)), piece]
    return b"".join(frames)


def decompress(data: bytes) -> bytes:
    """The data of frames. Their checksums are not checked."""
    chunks, offset = [], 0
    while offset < len(data):
        (head,) = struct.unpack_from("<I", data, offset)
        kind, size = head & 0xFF, head >> 8
        body = data[offset + 4 : offset + 4 + size]
        if len(body) < size:
            raise ValueError(f"snappy: a frame of {size} bytes ends after {len(body)}")
        if kind == _PLAIN:
            chunks.append(body[4:])
        elif kind == _PACKED:
            chunks.append(_unpack(body[4:]))
        elif kind < 0x80:
            raise ValueError(f"snappy: frames of kind {kind} are not known")
        offset += 4 + size
    return b"".join(chunks)


def _unpack(data: bytes) -> bytes:
    """One block: its size, then literals and copies of what came before."""
    size, position = _varint(data, 0)
    out = bytearray()
    while position < len(data):
        tag = data[position]
        position += 1
        if not tag & 3:  # a literal
            length = tag >> 2
            if length >= 60:
                width = length - 59
                length = int.from_bytes(data[position : position + width], "little")
                position += width
            out += data[position : position + length + 1]
            position += length + 1
            continue
        if tag & 3 == 1:
            length, offset = (tag >> 2 & 7) + 4, tag >> 5 << 8 | data[position]
            position += 1
        else:
            width = 2 if tag & 3 == 2 else 4
            length, offset = (tag >> 2) + 1, int.from_bytes(data[position : position + width], "little")
            position += width
        if not 0 < offset <= len(out):
            raise ValueError(f"snappy: a copy from {offset} bytes back, but there are {len(out)}")
        start = len(out) - offset
        piece = out[start : start + length]
        while len(piece) < length:  # a copy may run into what it writes
            piece += piece[: length - len(piece)]
        out += piece
    if len(out) != size:
        raise ValueError(f"snappy: a block of {size} bytes has {len(out)}")
    return bytes(out)


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[offset]
        value |= (byte & 0x7F) << shift
        offset, shift = offset + 1, shift + 7
        if not byte & 0x80:
            return value, offset


@cache
def _table() -> list[int]:
    """CRC-32C, byte by byte."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


def _checksum(data: bytes) -> int:
    """The masked CRC-32C that the format asks for."""
    table, crc = _table(), 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
