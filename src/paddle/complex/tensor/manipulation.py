"""paddle.complex.tensor.manipulation: shapes of ComplexVariables."""

from refluid.layers.complex_math import reshape as reshape, transpose as transpose

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
