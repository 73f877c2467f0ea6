"""paddle.fluid.contrib.slim.quantization.qat_int8_mkldnn_pass: of other kernels."""

from refluid.contrib.slim.quantization.mkldnn import QatInt8MkldnnPass as QatInt8MkldnnPass
