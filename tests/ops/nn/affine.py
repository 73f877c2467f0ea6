"""Rows of affine_channel, affine_grid and grid_sampler."""

import numpy as np
from tests.ops.cases import case, fixture, rand, refuse

fixture("affine_channel")
fixture("affine_grid")
fixture("grid_sampler")

case(
    "affine_channel",
    X=rand(2, 3, 2, 4),
    Scale=rand(3),
    Bias=rand(3),
    batch="X",
    expect=lambda X, Scale, Bias: X * Scale.reshape(3, 1, 1) + Bias.reshape(3, 1, 1),
)
case(
    "affine_channel",
    X=rand(2, 2, 4, 3),
    Scale=rand(3),
    Bias=rand(3),
    data_layout="NHWC",
    batch="X",
    expect=lambda X, Scale, Bias: X * Scale + Bias,
)
refuse("affine_channel", X=rand(2, 3), Scale=rand(2), Bias=rand(3), says="X has 3 channels, but Scale has 2 numbers")

identity = np.tile([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], (2, 1, 1))
corners = np.array([[[-1.0, -1.0], [1.0, -1.0]], [[-1.0, 1.0], [1.0, 1.0]]])
case("affine_grid", Theta=identity, output_shape=[2, 1, 2, 2], batch="", expect=np.stack([corners, corners]))
case("affine_grid", Theta=rand(2, 2, 3), OutputShape=np.array([2, 1, 3, 4], "int32"), batch="Theta")
refuse("affine_grid", Theta=rand(2, 2, 2), output_shape=[2, 1, 2, 2], says="Theta must have shape [batch, 2, 3]")
refuse("affine_grid", Theta=identity, output_shape=[2, 2], says="the output shape must be [2, C, H, W], got [2, 2]")

case("grid_sampler", X=rand(2, 3, 2, 2), Grid=np.stack([corners, corners]), expect=lambda X: X, grad_inputs="X")
case("grid_sampler", X=rand(2, 3, 4, 5), Grid=rand(2, 3, 3, 2, low=-0.9, high=0.9))
refuse("grid_sampler", X=rand(2, 3, 2, 2), Grid=rand(2, 2, 2), says="Grid must have shape [2, H, W, 2], got [2, 2, 2]")
