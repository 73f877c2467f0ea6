"""paddle.fluid.contrib.slim.quantization: models of integers."""

from paddle.fluid.contrib.slim.quantization import (
    post_training_quantization as post_training_quantization,
    quantization_pass as quantization_pass,
)
from refluid.contrib.slim.quantization.freeze import QuantizationFreezePass as QuantizationFreezePass
from refluid.contrib.slim.quantization.int8 import (
    ConvertToInt8Pass as ConvertToInt8Pass,
    TransformForMobilePass as TransformForMobilePass,
)
from refluid.contrib.slim.quantization.out_scale import (
    OutScaleForInferencePass as OutScaleForInferencePass,
    OutScaleForTrainingPass as OutScaleForTrainingPass,
)
from refluid.contrib.slim.quantization.post_training import PostTrainingQuantization as PostTrainingQuantization
from refluid.contrib.slim.quantization.quant_dequant import AddQuantDequantPass as AddQuantDequantPass
from refluid.contrib.slim.quantization.transform import QuantizationTransformPass as QuantizationTransformPass
from refluid.contrib.slim.quantization.weight_only import WeightQuantization as WeightQuantization

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
