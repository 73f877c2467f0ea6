"""paddle.fluid.layers.distributions: distributions."""

