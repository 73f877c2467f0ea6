"""paddle.fluid.contrib.slim.quantization.quantization_strategy: epochs of training for integers."""

from refluid.contrib.slim.quantization.strategy import QuantizationStrategy as QuantizationStrategy
