"""paddle.fluid.layers.sequence_lod: functions of sequences."""

