"""paddle.fluid.contrib.quantize: networks of integers."""

from paddle.fluid.contrib.quantize import quantize_transpiler as quantize_transpiler
from refluid.contrib.quantize.transpiler import QuantizeTranspiler as QuantizeTranspiler
