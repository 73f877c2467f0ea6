"""paddle.fluid.dygraph.jit: from imperative to static."""

