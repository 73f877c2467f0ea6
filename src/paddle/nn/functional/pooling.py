"""paddle.nn.functional.pooling: pooling."""

from refluid.layers.pool import (
    adaptive_pool2d as adaptive_pool2d,
    adaptive_pool3d as adaptive_pool3d,
    pool2d as pool2d,
    pool3d as pool3d,
)
