"""paddle.fluid.profiler: measuring."""

