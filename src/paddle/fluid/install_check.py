"""paddle.fluid.install_check: whether this installation trains."""

from refluid.diagnostics.install_check import run_check as run_check

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
