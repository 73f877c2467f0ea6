"""paddle.fluid.contrib.slim.quantization.mkldnn_post_training_strategy: of other kernels."""

from refluid.contrib.slim.quantization.mkldnn import (
    MKLDNNPostTrainingQuantStrategy as MKLDNNPostTrainingQuantStrategy,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
