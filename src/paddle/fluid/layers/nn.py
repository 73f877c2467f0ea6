"""paddle.fluid.layers.nn: the larger functions."""

from refluid.layers.conv import conv2d as conv2d, conv3d as conv3d
from refluid.layers.fc import fc as fc
from refluid.layers.pool import pool2d as pool2d, pool3d as pool3d
