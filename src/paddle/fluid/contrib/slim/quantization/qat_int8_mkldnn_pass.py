"""paddle.fluid.contrib.slim.quantization.qat_int8_mkldnn_pass: of other kernels."""

from refluid.contrib.slim.quantization.mkldnn import QatInt8MkldnnPass as QatInt8MkldnnPass

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
