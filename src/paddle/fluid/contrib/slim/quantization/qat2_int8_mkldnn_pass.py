"""paddle.fluid.contrib.slim.quantization.qat2_int8_mkldnn_pass: of other kernels."""

from refluid.contrib.slim.quantization.mkldnn import Qat2Int8MkldnnPass as Qat2Int8MkldnnPass

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
