"""paddle.fluid.dygraph.checkpoint: saving and loading."""

