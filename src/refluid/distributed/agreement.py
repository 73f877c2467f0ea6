"""Ranks compare what they are about to do, before a wrong sum or a wait without end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from refluid.core.errors import EnforceNotMet
from refluid.distributed.ring import Ring


def agree(ring: Ring, what: str, lines: Sequence[str]) -> None:
    """Refuse to go on unless all ranks have the same lines; tells two ranks and the first difference."""
    texts = ring.all_gather_text("\n".join(lines))
    for rank, text in enumerate(texts):
        if text != texts[0]:
            raise EnforceNotMet(_difference(what, ring.ranks[0], texts[0], ring.ranks[rank], text))


def _difference(what: str, first: int, a: str, second: int, b: str) -> str:
    ours, theirs = a.split("\n") if a else [], b.split("\n") if b else []
    for number, (one, other) in enumerate(zip_longest(ours, theirs, fillvalue="nothing")):
        if one != other:
            return (
                f"{what} differ between ranks: number {number} is {one} on rank {first} and {other} on rank {second} "
                f"(they have {len(ours)} and {len(theirs)})"
            )
    return f"{what} differ between ranks {first} and {second}"
