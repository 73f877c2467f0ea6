"""Hashes of rows of bytes, four bytes to a word: XXH32, and Bloom filters over MurmurHash3 (x64, 128 bits)."""

from __future__ import annotations

import numpy as np

from refluid.core.errors import ArgumentError

_P1, _P2, _P3, _P4, _P5 = (np.uint32(prime) for prime in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1))
_C1, _C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
MAGIC = 17070416  # the first number of Fluid's Bloom filters


def xxh32(rows: np.ndarray, seed: int) -> np.ndarray:
    """XXH32 of every row of uint32 words."""
    count, length = rows.shape
    first = np.uint32(seed)
    with np.errstate(over="ignore"):
        word = 0
        if length >= 4:
            lanes = [np.full(count, start) for start in (first + _P1 + _P2, first + _P2, first, first - _P1)]
            for word in range(0, length // 4 * 4, 4):
                lanes = [_left(lane + rows[:, word + k] * _P2, 13) * _P1 for k, lane in enumerate(lanes)]
            word = length // 4 * 4
            value = _left(lanes[0], 1) + _left(lanes[1], 7) + _left(lanes[2], 12) + _left(lanes[3], 18)
        else:
            value = np.full(count, first + _P5)
        value = value + np.uint32(4 * length)
        for k in range(word, length):
            value = _left(value + rows[:, k] * _P3, 17) * _P4
        value = (value ^ value >> np.uint32(15)) * _P2
        value = (value ^ value >> np.uint32(13)) * _P3
        return value ^ value >> np.uint32(16)


def murmur3(rows: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Both halves of MurmurHash3_x64_128 of every row of uint32 words."""
    count, length = rows.shape
    wide = np.zeros((count, -(-length // 4) * 4), np.uint32)
    wide[:, :length] = rows
    words = wide.view(np.uint64)
    h1 = h2 = np.full(count, seed, np.uint64)
    with np.errstate(over="ignore"):
        for word in range(0, length // 4 * 2, 2):
            h1 = h1 ^ _left(words[:, word] * _C1, 31) * _C2
            h1 = (_left(h1, 27) + h2) * np.uint64(5) + np.uint64(0x52DCE729)
            h2 = h2 ^ _left(words[:, word + 1] * _C2, 33) * _C1
            h2 = (_left(h2, 31) + h1) * np.uint64(5) + np.uint64(0x38495AB5)
        if length % 4:
            h2 = h2 ^ _left(words[:, -1] * _C2, 33) * _C1
            h1 = h1 ^ _left(words[:, -2] * _C1, 31) * _C2
        h1, h2 = h1 ^ np.uint64(4 * length), h2 ^ np.uint64(4 * length)
        h1 = h1 + h2
        h2 = h2 + h1
        h1, h2 = _mixed(h1), _mixed(h2)
        h1 = h1 + h2
        return h1, h2 + h1


def in_bloom_filter(table: np.ndarray, rows: np.ndarray, name: str) -> np.ndarray:
    """Which rows of words a filter knows; its bytes are four uint64 (MAGIC, bits, hashes, count) and the bits."""
    data = np.ascontiguousarray(table).view(np.uint8).reshape(-1)
    magic, size, hashes = (int(number) for number in data[:24].view("<u8")) if len(data) >= 32 else (0, 0, 0)
    if magic != MAGIC or len(data) < 32 + size // 8:
        raise ArgumentError(f"{name} must be a Bloom filter that begins with the number {MAGIC}, got {magic}")
    bits = np.unpackbits(data[32 : 32 + size // 8])
    known = np.ones(len(rows), bool)
    for seed in range(hashes):
        for half in murmur3(rows, seed):
            known &= bits[half % np.uint64(size)] != 0
    return known


def _mixed(value: np.ndarray) -> np.ndarray:
    value = (value ^ value >> np.uint64(33)) * np.uint64(0xFF51AFD7ED558CCD)
    value = (value ^ value >> np.uint64(33)) * np.uint64(0xC4CEB9FE1A85EC53)
    return value ^ value >> np.uint64(33)


def _left(value: np.ndarray, bits: int) -> np.ndarray:
    kind = value.dtype.type
    return value << kind(bits) | value >> kind(8 * value.dtype.itemsize - bits)
