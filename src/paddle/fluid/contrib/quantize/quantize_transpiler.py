"""paddle.fluid.contrib.quantize.quantize_transpiler: networks of integers."""

from refluid.contrib.quantize.transpiler import QuantizeTranspiler as QuantizeTranspiler
