"""paddle.fluid.dygraph.profiler: timing operators."""

from refluid.diagnostics.profiler import (
    start_gperf_profiler as start_gperf_profiler,
    stop_gperf_profiler as stop_gperf_profiler,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
