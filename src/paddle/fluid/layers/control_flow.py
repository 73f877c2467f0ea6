"""paddle.fluid.layers.control_flow: control flow."""

