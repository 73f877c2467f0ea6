"""paddle.nn.functional.conv: convolutions with a weight of your own."""

from refluid.alpha.nn.convolution import (
    conv2d as conv2d,
    conv2d_transpose as conv2d_transpose,
    conv3d as conv3d,
    conv3d_transpose as conv3d_transpose,
)
