"""paddle.utils.profiler: timing operators (1.8 has the module, and nothing in it yet)."""

from refluid.diagnostics.profiler import (
    cuda_profiler as cuda_profiler,
    profiler as profiler,
    reset_profiler as reset_profiler,
    start_profiler as start_profiler,
    stop_profiler as stop_profiler,
)
