"""paddle.fluid.layers.tensor: making and joining tensors."""

