"""paddle.fluid.layers.detection: detection."""

