"""paddle.fluid.dygraph.backward_strategy: how gradients add up."""

