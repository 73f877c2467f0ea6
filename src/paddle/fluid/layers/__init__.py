"""paddle.fluid.layers: the functions that build a network."""

from paddle.fluid.layers import (
    control_flow as control_flow,
    detection as detection,
    distributions as distributions,
    io as io,
    learning_rate_scheduler as learning_rate_scheduler,
    loss as loss,
    metric_op as metric_op,
    nn as nn,
    ops as ops,
    rnn as rnn,
    sequence_lod as sequence_lod,
    tensor as tensor,
)
from refluid.layers.conv import conv2d as conv2d, conv3d as conv3d
from refluid.layers.data import data as data
from refluid.layers.fc import fc as fc
from refluid.layers.pool import pool2d as pool2d, pool3d as pool3d
