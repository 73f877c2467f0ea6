"""The tables of calls in tools/oracle/calls, and what Fluid 1.8.5 did with them."""

from __future__ import annotations

from functools import cache
from typing import Any

from tests.models.oracle import ROOT, recorded as fixture, source


def subjects() -> list[str]:
    folder = ROOT / "tools" / "oracle" / "calls"
    return sorted(path.stem for path in folder.glob("*.py") if path.stem not in ("table", "__init__"))


def cases(subject: str) -> dict[str, Any]:
    return source(f"calls.{subject}").calls.cases


@cache
def recorded(subject: str) -> dict[str, Any]:
    return fixture(f"calls/{subject}.json")
