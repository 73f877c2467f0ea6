"""paddle.fluid.layers.detection: detection."""

from refluid.layers.prior_boxes import multi_box_head as multi_box_head, prior_box as prior_box
from refluid.layers.ranking_loss import sigmoid_focal_loss as sigmoid_focal_loss
