"""paddle.fluid.contrib.quantize: networks of integers."""

from paddle.fluid.contrib.quantize import quantize_transpiler as quantize_transpiler
from refluid.contrib.quantize.transpiler import QuantizeTranspiler as QuantizeTranspiler

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
