"""paddle.declarative: functions that make their own parameters, as 2.0-alpha spells it."""

from refluid.alpha.declarative import (
    conv2d as conv2d,
    conv2d_transpose as conv2d_transpose,
    conv3d as conv3d,
    conv3d_transpose as conv3d_transpose,
    hsigmoid as hsigmoid,
    row_conv as row_conv,
)
from refluid.layers.batch_norm import batch_norm as batch_norm, data_norm as data_norm
from refluid.layers.crf import crf_decoding as crf_decoding
from refluid.layers.deformable import deformable_conv as deformable_conv
from refluid.layers.embedding import fluid_embedding as embedding
from refluid.layers.fc import fc as fc
from refluid.layers.norm import (
    group_norm as group_norm,
    instance_norm as instance_norm,
    layer_norm as layer_norm,
    spectral_norm as spectral_norm,
)
from refluid.layers.parameters import create_parameter as create_parameter
from refluid.layers.parametric import bilinear_tensor_product as bilinear_tensor_product, prelu as prelu
from refluid.layers.prior_boxes import multi_box_head as multi_box_head
from refluid.layers.sampled_loss import nce as nce
