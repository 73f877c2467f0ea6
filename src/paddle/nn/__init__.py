"""paddle.nn: layers and what belongs to them."""

from paddle.nn import functional as functional, initializer as initializer, layer as layer
from paddle.nn.layer import common as common, conv as conv, extension as extension, loss as loss
from refluid.alpha.nn.activation import HSigmoid as HSigmoid, LogSoftmax as LogSoftmax, ReLU as ReLU, Sigmoid as Sigmoid
from refluid.alpha.nn.common import UpSample as UpSample
from refluid.alpha.tensor.linalg import norm as norm
from refluid.layers.control_flow.branches import case as case, cond as cond, switch_case as switch_case
from refluid.layers.control_flow.loops import while_loop as while_loop
from refluid.layers.decoding import (
    beam_search as beam_search,
    beam_search_decode as beam_search_decode,
    gather_tree as gather_tree,
)
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
from refluid.nn.norm import BatchNorm as BatchNorm, LayerNorm as LayerNorm
from refluid.nn.norm_in_sample import GroupNorm as GroupNorm, InstanceNorm as InstanceNorm, SpectralNorm as SpectralNorm
from refluid.layers.math import clip as clip, clip_by_norm as clip_by_norm
from refluid.nn.container import LayerList as LayerList, ParameterList as ParameterList, Sequential as Sequential
from refluid.nn.layer import Layer as Layer
from refluid.optim.clip import (
    GradientClipByGlobalNorm as GradientClipByGlobalNorm,
    GradientClipByNorm as GradientClipByNorm,
    GradientClipByValue as GradientClipByValue,
)
from refluid.layers.data import fluid_data as data
