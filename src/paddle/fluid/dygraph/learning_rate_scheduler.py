"""paddle.fluid.dygraph.learning_rate_scheduler: learning rates that fall."""

