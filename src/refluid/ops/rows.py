"""Whether an operator leaves the rows of its input what they were, so that their LoD still holds; exporters ask that.

A rule `keeps_rows(attrs, rank)` takes the attributes and the rank of the input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def unless_first(attr: str) -> Callable[[dict[str, Any], int], bool]:
    """The rule of an operator that works along the axes in this attribute: rows stay unless the first is among them."""

    def keeps_rows(attrs: dict[str, Any], rank: int) -> bool:
        axes = attrs[attr]
        worked_on = [axis % max(rank, 1) for axis in ([axes] if isinstance(axes, int) else axes)]
        return not attrs.get("reduce_all", False) and 0 not in worked_on

    return keeps_rows
