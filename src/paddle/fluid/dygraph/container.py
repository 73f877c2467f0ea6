"""paddle.fluid.dygraph.container: layers of layers."""

