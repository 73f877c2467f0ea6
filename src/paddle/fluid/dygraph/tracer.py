"""paddle.fluid.dygraph.tracer: recording."""

