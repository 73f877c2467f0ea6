"""paddle.fluid.layers.loss: losses."""

