"""paddle.fluid.contrib.slim.quantization.mkldnn_post_training_strategy: of other kernels."""

from refluid.contrib.slim.quantization.mkldnn import (
    MKLDNNPostTrainingQuantStrategy as MKLDNNPostTrainingQuantStrategy,
)
