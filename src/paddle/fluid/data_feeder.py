"""paddle.fluid.data_feeder: feeding samples."""

from refluid.data.converter import (
    BatchedTensorProvider as BatchedTensorProvider,
    DataToLoDTensorConverter as DataToLoDTensorConverter,
)
from refluid.data.feeder import DataFeeder as DataFeeder
from refluid.layers.type_checks import (
    check_dtype as check_dtype,
    check_type as check_type,
    check_variable_and_dtype as check_variable_and_dtype,
    convert_dtype as convert_dtype,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
