"""Page views: the instances of one search, grouped by their log keys, and the rows of each other's in a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.data.ctr.slots import Instance

PageView = list[Instance]

_RANKED = (222, 223)  # the positions on a page whose advertisements have a rank
_MOST_RANKS = 3


class LogKey(NamedTuple):
    search_id: int
    cmatch: int
    rank: int

    @classmethod
    def of(cls, instance: Instance) -> LogKey:
        """Hexadecimal digits: cmatch from the 11th, rank from the 14th, the search from the 16th."""
        text = instance.marks.log_key
        try:
            return cls(int(text[16:32], 16), int(text[11:14], 16), int(text[14:16], 16))
        except ValueError:
            raise ArgumentError(f"log key {text!r}: it must have 32 hexadecimal digits; see set_parse_logkey") from None


def grouped(instances: Sequence[Instance], by_search: bool) -> list[PageView]:
    """The instances of every search together, or each by itself."""
    if not by_search:
        return [[one] for one in instances]

    def search(one: Instance) -> int:
        return LogKey.of(one).search_id

    return [list(group) for _, group in groupby(sorted(instances, key=search), search)]


def batches(views: Sequence[PageView], size: int) -> Iterator[list[PageView]]:
    source = iter(views)
    while batch := list(islice(source, max(size, 1))):
        yield batch


def rank_offsets(views: Sequence[PageView]) -> np.ndarray:
    """int32 [instances, 7]: the rank of each, then rank and row of those of its page view with rank 1, 2 and 3."""
    rows, first = [], 0
    for view in views:
        ranks = [_rank(one) for one in view]
        others = [0] * (2 * _MOST_RANKS)
        for row, rank in enumerate(ranks):
            if rank > 0:
                others[2 * rank - 2 : 2 * rank] = rank, first + row
        rows += [[rank, *(others if rank > 0 else [0] * len(others))] for rank in ranks]
        first += len(view)
    return np.array(rows, np.int32).reshape(-1, 2 * _MOST_RANKS + 1)


def _rank(instance: Instance) -> int:
    key = LogKey.of(instance)
    return key.rank if key.cmatch in _RANKED and 0 < key.rank <= _MOST_RANKS else -1
