"""paddle.nn.layer.conv: convolutions."""

from refluid.alpha.nn.conv import (
    Conv2D as Conv2D,
    Conv2DTranspose as Conv2DTranspose,
    Conv3D as Conv3D,
    Conv3DTranspose as Conv3DTranspose,
)
