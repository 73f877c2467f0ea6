"""paddle.fluid.install_check: whether this installation trains."""

from refluid.metrics.install_check import run_check as run_check
