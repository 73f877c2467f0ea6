"""paddle.fluid.contrib.slim.quantization: models of integers."""

from paddle.fluid.contrib.slim.quantization import quantization_pass as quantization_pass
from refluid.contrib.slim.quantization.freeze import QuantizationFreezePass as QuantizationFreezePass
from refluid.contrib.slim.quantization.int8 import (
    ConvertToInt8Pass as ConvertToInt8Pass,
    TransformForMobilePass as TransformForMobilePass,
)
from refluid.contrib.slim.quantization.out_scale import (
    OutScaleForInferencePass as OutScaleForInferencePass,
    OutScaleForTrainingPass as OutScaleForTrainingPass,
)
from refluid.contrib.slim.quantization.quant_dequant import AddQuantDequantPass as AddQuantDequantPass
from refluid.contrib.slim.quantization.transform import QuantizationTransformPass as QuantizationTransformPass

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
