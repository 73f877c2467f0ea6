"""shard_index: class numbers of one of several shards."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ValueRangeError
from refluid.ops.registry import INDICES, Tensor, op


@op("Out", nograd="*", dtypes={"X": INDICES})
def shard_index(X: Tensor, *, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Tensor:
    """Out is X counted from the start of shard shard_id of nshards, and ignore_value for what is in other shards."""
    if index_num < 1 or nshards < 1 or not 0 <= shard_id < nshards:
        raise ArgumentError(
            f"shard_id must be in [0, nshards - 1], got index_num={index_num}, nshards={nshards}, shard_id={shard_id}"
        )
    if not X.is_meta and X.numel() and not 0 <= int(X.min()) <= int(X.max()) < index_num:
        raise ValueRangeError(f"X must be in [0, {index_num - 1}], got values in [{int(X.min())}, {int(X.max())}]")
    size = (index_num + nshards - 1) // nshards
    here = X - shard_id * size
    return torch.where((here >= 0) & (here < size), here, ignore_value)
