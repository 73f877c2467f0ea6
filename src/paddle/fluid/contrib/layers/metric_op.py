"""paddle.fluid.contrib.layers.metric_op: metrics of clicks."""

from refluid.contrib.layers.click_metrics import ctr_metric_bundle as ctr_metric_bundle

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
