"""paddle.fluid.data_feeder: feeding samples."""

from refluid.data.feeder import DataFeeder as DataFeeder
from refluid.layers.checks import (
    check_dtype as check_dtype,
    check_type as check_type,
    check_variable_and_dtype as check_variable_and_dtype,
    convert_dtype as convert_dtype,
)
