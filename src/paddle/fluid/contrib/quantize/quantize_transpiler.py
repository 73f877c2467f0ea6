"""paddle.fluid.contrib.quantize.quantize_transpiler: networks of integers."""

from refluid.contrib.quantize.weights import integers as quant
from refluid.contrib.quantize.transpiler import QuantizeTranspiler as QuantizeTranspiler

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
