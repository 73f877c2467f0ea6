from tests.ops.cases import fixture

fixture("dequantize_abs_max")
