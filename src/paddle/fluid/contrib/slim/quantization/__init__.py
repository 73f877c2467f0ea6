"""paddle.fluid.contrib.slim.quantization: models of integers."""

from paddle.fluid.contrib.slim.quantization import (
    mkldnn_post_training_strategy as mkldnn_post_training_strategy,
    post_training_quantization as post_training_quantization,
    qat2_int8_mkldnn_pass as qat2_int8_mkldnn_pass,
    qat_int8_mkldnn_pass as qat_int8_mkldnn_pass,
    quantization_pass as quantization_pass,
    quantization_strategy as quantization_strategy,
)
from refluid.contrib.slim.quantization.freeze import QuantizationFreezePass as QuantizationFreezePass
from refluid.contrib.slim.quantization.int8 import (
    ConvertToInt8Pass as ConvertToInt8Pass,
    TransformForMobilePass as TransformForMobilePass,
)
from refluid.contrib.slim.quantization.mkldnn import (
    MKLDNNPostTrainingQuantStrategy as MKLDNNPostTrainingQuantStrategy,
    Qat2Int8MkldnnPass as Qat2Int8MkldnnPass,
    QatInt8MkldnnPass as QatInt8MkldnnPass,
)
from refluid.contrib.slim.quantization.out_scale import (
    OutScaleForInferencePass as OutScaleForInferencePass,
    OutScaleForInferencePass as ScaleForInferencePass,
    OutScaleForTrainingPass as OutScaleForTrainingPass,
    OutScaleForTrainingPass as ScaleForTrainingPass,
)
from refluid.contrib.slim.quantization.post_training import PostTrainingQuantization as PostTrainingQuantization
from refluid.contrib.slim.quantization.quant_dequant import AddQuantDequantPass as AddQuantDequantPass
from refluid.contrib.slim.quantization.strategy import QuantizationStrategy as QuantizationStrategy
from refluid.contrib.slim.quantization.transform import QuantizationTransformPass as QuantizationTransformPass
from refluid.contrib.slim.quantization.weight_only import WeightQuantization as WeightQuantization

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
