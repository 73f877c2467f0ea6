"""paddle.fluid.contrib.mixed_precision.fp16_lists: which operators compute in float16."""

from refluid.contrib.mixed_precision.lists import (
    BLACK as black_list,
    GRAY as gray_list,
    WHITE as white_list,
    AutoMixedPrecisionLists as AutoMixedPrecisionLists,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
