"""paddle.complex.tensor.linalg: products of ComplexVariables."""

from refluid.layers.complex_math import matmul as matmul

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
