"""paddle.nn.layer: Layer classes."""

from paddle.nn.layer import (
    activation as activation,
    common as common,
    conv as conv,
    extension as extension,
    loss as loss,
)
from refluid.alpha.nn.activation import HSigmoid as HSigmoid, LogSoftmax as LogSoftmax, ReLU as ReLU, Sigmoid as Sigmoid
from refluid.alpha.nn.common import UpSample as UpSample
from refluid.nn.bilinear import BilinearTensorProduct as BilinearTensorProduct
from refluid.nn.embedding import Embedding as Embedding
from refluid.nn.linear import Linear as Linear
from refluid.nn.pool import Pool2D as Pool2D
from refluid.alpha.nn.conv import (
    Conv2D as Conv2D,
    Conv2DTranspose as Conv2DTranspose,
    Conv3D as Conv3D,
    Conv3DTranspose as Conv3DTranspose,
)
from refluid.alpha.nn.extension import RowConv as RowConv
from refluid.nn.loss import (
    BCELoss as BCELoss,
    CrossEntropyLoss as CrossEntropyLoss,
    L1Loss as L1Loss,
    MSELoss as MSELoss,
    NLLLoss as NLLLoss,
)
from paddle.nn.layer.norm import (
    BatchNorm as BatchNorm,
    GroupNorm as GroupNorm,
    InstanceNorm as InstanceNorm,
    LayerNorm as LayerNorm,
    SpectralNorm as SpectralNorm,
)

# The list of 2.0-alpha's names has a function of the module's name here; the module itself is imported by its path.
from refluid.alpha.tensor.linalg import norm as norm
