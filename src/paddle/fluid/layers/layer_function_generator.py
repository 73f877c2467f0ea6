"""paddle.fluid.layers.layer_function_generator: layer functions from operators."""

from refluid.core.decorators import deprecated_function as deprecated
from refluid.layers.generate import (
    _generate_doc_string_ as _generate_doc_string_,
    autodoc as autodoc,
    escape_math as escape_math,
    generate_activation_fn as generate_activation_fn,
    generate_layer_fn as generate_layer_fn,
    templatedoc as templatedoc,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
