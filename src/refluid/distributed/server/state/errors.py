"""Errors of state folders."""

from __future__ import annotations

from refluid.core.errors import EnforceNotMet


class StateRefused(EnforceNotMet):
    """A state folder that belongs to another job or to a server that is running."""


class StateDamaged(EnforceNotMet):
    """Bytes in a state folder are corrupt."""
