"""paddle.complex.helper: telling ComplexVariables from others."""

from refluid.layers.complex_math import (
    complex_variable_exists as complex_variable_exists,
    is_complex as is_complex,
    is_real as is_real,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
