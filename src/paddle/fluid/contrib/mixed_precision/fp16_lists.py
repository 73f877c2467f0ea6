"""paddle.fluid.contrib.mixed_precision.fp16_lists: which operators compute in float16."""

from refluid.contrib.mixed_precision.lists import (
    BLACK as black_list,
    GRAY as gray_list,
    WHITE as white_list,
    AutoMixedPrecisionLists as AutoMixedPrecisionLists,
)
