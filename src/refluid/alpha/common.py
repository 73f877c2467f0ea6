"""What the functions of 2.0-alpha share."""

from __future__ import annotations

from typing import Any


def into(out: Any, slot: str = "Out") -> dict[str, Any] | None:
    """The variable that the caller wants a result in, as operators take it; None: a new one."""
    return None if out is None else {slot: out}
