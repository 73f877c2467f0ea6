"""load_op_library: operators that users compiled for Fluid."""

from __future__ import annotations

import os

from refluid.core.errors import ArgumentError, NotFoundError


def load_op_library(lib_filename: str) -> None:
    """Refuse: a library of operators is C++ linked against Fluid's own classes, which do not exist here.

    Args:
        lib_filename: the library.

    Returns:
        Nothing; it raises.
    """
    if not os.path.exists(lib_filename):
        raise NotFoundError(f"load_op_library: there is no file {lib_filename!r}")
    raise ArgumentError(
        f"load_op_library: {lib_filename} is compiled against Fluid's C++ classes and cannot be loaded; write the "
        "operator in Python: as a torch function with @refluid.ops.registry.op (it then has gradients and both modes), "
        "or with fluid.layers.py_func or fluid.PyLayer on numpy arrays"
    )
