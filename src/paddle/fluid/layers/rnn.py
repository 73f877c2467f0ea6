"""paddle.fluid.layers.rnn: recurrent networks."""

