"""Where C++ operators would find headers and libraries to be built with: there are none."""

from __future__ import annotations

from refluid.core.errors import NotFoundError

_INSTEAD = "an operator is a Python function here: fluid.layers.py_func, fluid.PyLayer or refluid.ops.registry.op"


def get_include() -> str:
    """The folder of the C++ headers; refused, as there are none."""
    raise NotFoundError(f"sysconfig.get_include: there are no C++ headers; {_INSTEAD}")


def get_lib() -> str:
    """The folder of the C++ libraries; refused, as there are none."""
    raise NotFoundError(f"sysconfig.get_lib: there are no C++ libraries; {_INSTEAD}")
