"""paddle.fluid.layers.metric_op: metrics."""

from refluid.layers.metric import accuracy as accuracy, auc as auc
