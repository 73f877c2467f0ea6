"""paddle.fluid.dygraph.base: switching the imperative mode."""

from refluid.eager.base import (
    _switch_tracer_mode_guard_ as _switch_tracer_mode_guard_,
    disable_dygraph as disable_dygraph,
    disable_dygraph as disable_imperative,
    enable_dygraph as enable_dygraph,
    enable_dygraph as enable_imperative,
    enabled as enabled,
    guard as guard,
    in_dygraph_mode as in_dygraph_mode,
    no_grad as no_grad,
    to_variable as to_variable,
)
from refluid.eager.grad import grad as grad
from refluid.eager.inner import switch_to_static_graph as switch_to_static_graph
from refluid.diagnostics.profiler import (
    start_gperf_profiler as start_gperf_profiler,
    stop_gperf_profiler as stop_gperf_profiler,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
