from tests.ops.cases import fixture

fixture("dequantize_log")
