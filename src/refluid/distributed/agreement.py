"""Ranks compare what they are about to exchange, to prevent wrong sums and deadlocks.

Note [Comparing ranks]
Gloo aborts a process that receives more than it expects, and sums unrelated tensors. So ranks compare before
they exchange anything else than last time: each sends the others a hash of what it is about to do, by
all-to-all, which nothing else uses. A rank that repeats its last exchanges compares nothing, so a training pays for
its first step alone. If another rank does compare then, the two are inside different collectives, no data mixes, and
the watcher reports what each does.

`ring.agreed` is what a ring does now. Exchanges whose sizes are settled by it (the buckets of a model, the steps of a
program) are started with `agreed=True` or inside `ring.trusted()`; every other one is compared by its own description.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from refluid.core.errors import EnforceNotMet

if TYPE_CHECKING:
    from refluid.distributed.ring import Ring


class Agreement:
    """What ranks have to have in common: a name for it, and lines."""

    def __init__(self, what: str, lines: Sequence[str] = ()):
        self._what = what
        self._text = "\n".join((what, *lines))

    def settle(self, ring: Ring) -> None:
        """Raise unless all ranks are about to do this; the error names two ranks and the first difference."""
        if ring.agreed == self._text:
            return
        codes = ring.exchange_codes(_code(self._text), self._what)
        if len(set(codes)) > 1:
            texts = ring.all_gather_text(self._text)
            other = next(i for i, theirs in enumerate(texts) if theirs != texts[0])
            raise EnforceNotMet(_difference(_Told(ring, 0, texts[0]), _Told(ring, other, texts[other])))
        ring.agreed = self._text


def _code(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little", signed=True)


class _Told:
    """What a rank is about to do."""

    def __init__(self, ring: Ring, number: int, text: str):
        self.what, *self.lines = text.split("\n")
        rank = ring.ranks[number]
        self.rank = f"rank {rank} at {ring.world.endpoints[rank]}"


def _difference(first: _Told, second: _Told) -> str:
    if first.what != second.what:
        return f"ranks do different things at the same step: {first.rank} {first.what}, {second.rank} {second.what}"
    for number, (a, b) in enumerate(zip_longest(first.lines, second.lines, fillvalue="nothing")):
        if a != b:
            return (
                f"{first.what} differ between ranks: number {number} is {a} on {first.rank} and {b} on {second.rank} "
                f"(they have {len(first.lines)} and {len(second.lines)})"
            )
    return f"{first.what} differ between {first.rank} and {second.rank}"
