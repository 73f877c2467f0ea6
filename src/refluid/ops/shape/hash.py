"""hash: rows of ids as numbers below a bound, by XXH64 with seeds 0, 1, ..."""

from __future__ import annotations

import numpy as np
import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.registry import INDICES, Long, Tensor, op

_P1, _P2, _P3, _P4, _P5 = (
    np.uint64(prime)
    for prime in (
        0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5,
    )
)  # fmt: skip


@op("Out", dtypes={"X": INDICES}, nograd="*", extra_attrs={"@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@": "BOOLEAN"})
def hash(X: Tensor, *, num_hash: int = 1, mod_by: Long = 100000) -> Tensor:
    """Out [N, num_hash, 1]: the hash of every row of X [N, width] with each seed, modulo mod_by."""
    if X.dim() != 2:
        raise ShapeError(f"X must be [N, width], got {list(X.shape)}")
    if num_hash < 1 or mod_by < 1:
        raise ArgumentError(f"num_hash and mod_by must be positive, got {num_hash} and {mod_by}")
    if X.is_meta:
        return X.new_empty(len(X), num_hash, 1)
    rows = np.ascontiguousarray(X.cpu().numpy()).view(np.uint8).reshape(len(X), -1)
    hashes = [_xxh64(rows, np.uint64(seed)) % np.uint64(mod_by) for seed in range(num_hash)]
    numbers = torch.from_numpy(np.stack(hashes, 1).astype(np.int64)).to(X.device, X.dtype)
    return numbers.unsqueeze(2)


def _xxh64(rows: np.ndarray, seed: np.uint64) -> np.ndarray:
    """XXH64 of every row of bytes, whose number is a multiple of four."""
    with np.errstate(over="ignore"):
        words, word = rows[:, : rows.shape[1] // 8 * 8].copy().view("<u8"), 0
        if rows.shape[1] >= 32:
            lanes = [seed + _P1 + _P2, seed + _P2, seed + np.uint64(0), seed - _P1]
            lanes = [np.full(len(rows), lane) for lane in lanes]
            for word in range(0, words.shape[1] // 4 * 4, 4):
                lanes = [_round(lane, words[:, word + k]) for k, lane in enumerate(lanes)]
            word = words.shape[1] // 4 * 4
            value = _left(lanes[0], 1) + _left(lanes[1], 7) + _left(lanes[2], 12) + _left(lanes[3], 18)
            for lane in lanes:
                value = (value ^ _round(np.uint64(0), lane)) * _P1 + _P4
        else:
            value = np.full(len(rows), seed + _P5)
        value = value + np.uint64(rows.shape[1])
        for k in range(word, words.shape[1]):
            value = _left(value ^ _round(np.uint64(0), words[:, k]), 27) * _P1 + _P4
        if rows.shape[1] % 8:  # one id of four bytes may be left over
            last = rows[:, -4:].copy().view("<u4")[:, 0].astype(np.uint64)
            value = _left(value ^ last * _P1, 23) * _P2 + _P3
        value = (value ^ value >> np.uint64(33)) * _P2
        value = (value ^ value >> np.uint64(29)) * _P3
        return value ^ value >> np.uint64(32)


def _round(lane: np.ndarray | np.uint64, word: np.ndarray) -> np.ndarray:
    return _left(lane + word * _P2, 31) * _P1


def _left(value: np.ndarray, bits: int) -> np.ndarray:
    return value << np.uint64(bits) | value >> np.uint64(64 - bits)
