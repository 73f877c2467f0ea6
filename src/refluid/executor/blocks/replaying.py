"""What a rule for the tape sees of the run that it is part of; see jit/replay.py."""

from __future__ import annotations

from typing import Any, Protocol

from refluid.ir.operator import Operator


class Replaying(Protocol):
    """A run of a program on the tape."""

    values: dict[str, Any]  # imperative variables by name

    def run(self, operator: Operator) -> None:
        """Run the block that the operator carries."""
