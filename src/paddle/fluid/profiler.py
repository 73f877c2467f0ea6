"""paddle.fluid.profiler: which operators a program spends its time in."""

from refluid.diagnostics.profiler import (
    cuda_profiler as cuda_profiler,
    profiler as profiler,
    reset_profiler as reset_profiler,
    start_profiler as start_profiler,
    stop_profiler as stop_profiler,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
