"""paddle.nn.initializer: first values of parameters."""

from refluid.params.initializer import (
    Bilinear as Bilinear,
    Constant as Constant,
    MSRA as MSRA,
    Normal as Normal,
    TruncatedNormal as TruncatedNormal,
    Uniform as Uniform,
    Xavier as Xavier,
)
