"""paddle.fluid.contrib.slim.quantization.quantization_pass: graphs that compute with integers."""

from refluid.contrib.slim.quantization.freeze import QuantizationFreezePass as QuantizationFreezePass
from refluid.contrib.slim.quantization.int8 import (
    ConvertToInt8Pass as ConvertToInt8Pass,
    TransformForMobilePass as TransformForMobilePass,
)
from refluid.contrib.slim.quantization.operators import (
    FAKE_DEQUANTIZE as _fake_dequant_op_list,
    FAKE_QUANTIZE as _fake_quant_op_list,
    OUT_SCALE as _out_scale_op_list,
    SLOTS as _op_real_in_out_name,
    input_names as _get_op_input_var_names,
    output_names as _get_op_output_var_names,
)
from refluid.contrib.slim.quantization.out_scale import (
    OutScaleForInferencePass as OutScaleForInferencePass,
    OutScaleForInferencePass as ScaleForInferencePass,
    OutScaleForTrainingPass as OutScaleForTrainingPass,
    OutScaleForTrainingPass as ScaleForTrainingPass,
)
from refluid.contrib.slim.quantization.quant_dequant import AddQuantDequantPass as AddQuantDequantPass
from refluid.contrib.slim.quantization.transform import QuantizationTransformPass as QuantizationTransformPass

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
