"""Tracebacks without the engine's frames: an error shows the frames of the user's program alone."""

from __future__ import annotations

import os
from types import TracebackType

from refluid.core.callsite import is_engine, is_program


def shows_engine() -> bool:
    """Whether the user asks for every frame, as those who work on the engine do."""
    return os.environ.get("REFLUID_TRACEBACK", "0") not in ("", "0")


def without_engine(trace: TracebackType | None) -> TracebackType | None:
    """The same traceback without the engine and the libraries that it calls; no frame of the user's is left out."""
    kept = []
    inside = False
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        inside = inside or is_engine(filename)
        if not inside or is_program(filename):
            kept.append(trace)
        trace = trace.tb_next
    rest = None
    for entry in reversed(kept):
        rest = TracebackType(rest, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return rest
