"""paddle.fluid.data_feeder: feeding samples."""

