"""paddle.fluid.initializer: first values of parameters."""

from refluid.params.initializer import (
    Bilinear as Bilinear,
    BilinearInitializer as BilinearInitializer,
    Constant as Constant,
    ConstantInitializer as ConstantInitializer,
    Initializer as Initializer,
    MSRA as MSRA,
    MSRAInitializer as MSRAInitializer,
    Normal as Normal,
    NormalInitializer as NormalInitializer,
    NumpyArrayInitializer as NumpyArrayInitializer,
    TruncatedNormal as TruncatedNormal,
    TruncatedNormalInitializer as TruncatedNormalInitializer,
    Uniform as Uniform,
    UniformInitializer as UniformInitializer,
    Xavier as Xavier,
    XavierInitializer as XavierInitializer,
)
from refluid.params.on_cpu import force_init_on_cpu as force_init_on_cpu, init_on_cpu as init_on_cpu

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
