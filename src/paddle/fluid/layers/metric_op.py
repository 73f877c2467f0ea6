"""paddle.fluid.layers.metric_op: metrics."""

from refluid.layers.metric import accuracy as accuracy, auc as auc

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
