"""paddle.fluid.layers.detection: detection."""

from refluid.layers.ranking_loss import sigmoid_focal_loss as sigmoid_focal_loss
