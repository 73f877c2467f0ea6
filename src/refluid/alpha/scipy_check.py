"""check_import_scipy: whether SciPy loads, where a missing library of Windows used to keep it from doing so."""

from __future__ import annotations

import importlib


def check_import_scipy(OsName: str) -> None:
    """On Windows, find out whether SciPy can be imported, and say what to do if not.

    Args:
        OsName: `os.name`; "nt" on Windows.

    Returns:
        None.
    """
    if OsName != "nt":
        return
    try:
        importlib.import_module("scipy.io")
    except ImportError as error:
        raise ImportError(
            f"SciPy cannot be imported ({error}); install it with pip, and the Visual C++ redistributable if a DLL is "
            "missing"
        ) from error
