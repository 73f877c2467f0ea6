"""paddle.fluid.contrib.mixed_precision: training in float16 and float32."""

from paddle.fluid.contrib.mixed_precision import (
    decorator as decorator,
    fp16_lists as fp16_lists,
    fp16_utils as fp16_utils,
)
from refluid.contrib.mixed_precision.lists import AutoMixedPrecisionLists as AutoMixedPrecisionLists
from refluid.contrib.mixed_precision.optimizer import decorate as decorate
