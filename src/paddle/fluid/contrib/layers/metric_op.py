"""paddle.fluid.contrib.layers.metric_op: metrics of clicks."""

from refluid.contrib.layers.click_metrics import ctr_metric_bundle as ctr_metric_bundle
