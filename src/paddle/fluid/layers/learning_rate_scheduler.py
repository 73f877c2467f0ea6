"""paddle.fluid.layers.learning_rate_scheduler: learning rates that fall."""

