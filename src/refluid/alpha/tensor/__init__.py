"""paddle.tensor and the top namespace of 2.0-alpha: functions of tensors."""
