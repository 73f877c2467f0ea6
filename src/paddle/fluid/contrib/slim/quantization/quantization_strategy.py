"""paddle.fluid.contrib.slim.quantization.quantization_strategy: epochs of training for integers."""

from refluid.contrib.slim.quantization.strategy import QuantizationStrategy as QuantizationStrategy

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
