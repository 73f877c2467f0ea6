"""paddle.fluid.layers.metric_op: metrics."""

