"""paddle.fluid.dygraph.parallel: several processes."""

