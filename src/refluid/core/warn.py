"""Warnings about calls that Fluid accepts and that are probably mistakes: once each, at the user's line."""

from __future__ import annotations

import warnings

from refluid.core.callsite import user_site

_given: set[tuple[str, str, int]] = set()


def warn_once(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn as if the user's own line had, once for every message and line."""
    site = user_site()
    filename, line = (site.filename, site.line) if site is not None else ("<engine>", 0)
    if (message, filename, line) in _given:
        return
    _given.add((message, filename, line))
    warnings.warn_explicit(message, category, filename, line)


def reset() -> None:
    """Issue every warning again, as in a fresh process; for tests."""
    _given.clear()
