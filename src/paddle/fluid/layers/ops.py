"""paddle.fluid.layers.ops: functions of one operator."""

