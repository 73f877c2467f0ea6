"""paddle.fluid.contrib.mixed_precision: training in float16 and float32."""

from paddle.fluid.contrib.mixed_precision import (
    decorator as decorator,
    fp16_lists as fp16_lists,
    fp16_utils as fp16_utils,
)
from refluid.contrib.mixed_precision.lists import AutoMixedPrecisionLists as AutoMixedPrecisionLists
from refluid.contrib.mixed_precision.optimizer import decorate as decorate

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
