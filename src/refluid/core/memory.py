"""Memory that a step frees is kept for the next one.

glibc gives large blocks back to the kernel when they are freed and asks for them again: every step then pays a page
fault for every page of its activations. Telling malloc to keep them makes a training step of the digit recogniser a
few per cent faster (docs/decisions/0005). `FLAGS_refluid_keep_memory=0` turns it off.
"""

from __future__ import annotations

import ctypes
import sys

from refluid.core import flags

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


def keep_freed_memory() -> None:
    """Tune malloc, where it is glibc's; elsewhere there is nothing to do."""
    if not sys.platform.startswith("linux") or not flags.get("FLAGS_refluid_keep_memory"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, 1 << 30)
        mallopt(_M_TRIM_THRESHOLD, (1 << 31) - 1)
