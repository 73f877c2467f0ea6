"""paddle.fluid.contrib.slim.quantization.post_training_quantization: saved models of integers."""

from refluid.contrib.slim.quantization.post_training import PostTrainingQuantization as PostTrainingQuantization
from refluid.contrib.slim.quantization.weight_only import WeightQuantization as WeightQuantization

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
