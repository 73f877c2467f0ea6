"""paddle.fluid.dygraph.nn: Layer classes."""

from refluid.nn.bilinear import BilinearTensorProduct as BilinearTensorProduct
from refluid.nn.conv import Conv2D as Conv2D, Conv3D as Conv3D
from refluid.nn.conv_transpose import Conv2DTranspose as Conv2DTranspose, Conv3DTranspose as Conv3DTranspose
from refluid.nn.dropout import Dropout as Dropout
from refluid.nn.embedding import Embedding as Embedding
from refluid.nn.gru_unit import GRUUnit as GRUUnit
from refluid.nn.linear import FC as FC, Linear as Linear
from refluid.nn.loss import BCELoss as BCELoss, L1Loss as L1Loss, MSELoss as MSELoss, NLLLoss as NLLLoss
from refluid.nn.nce import NCE as NCE
from refluid.nn.norm import BatchNorm as BatchNorm, LayerNorm as LayerNorm
from refluid.nn.norm_in_sample import GroupNorm as GroupNorm, InstanceNorm as InstanceNorm, SpectralNorm as SpectralNorm
from refluid.nn.pool import Pool2D as Pool2D
from refluid.nn.prelu import PRelu as PRelu
from refluid.nn.sequence import RowConv as RowConv, SequenceConv as SequenceConv
from refluid.nn.tree_conv import TreeConv as TreeConv

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
