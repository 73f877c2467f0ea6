"""paddle.fluid.metrics: metrics that accumulate."""

