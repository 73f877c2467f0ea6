"""paddle.fluid.layers.tensor: making and joining tensors."""

from refluid.layers.compare import has_inf as has_inf, has_nan as has_nan, isfinite as isfinite
from refluid.layers.control_flow.arrays import tensor_array_to_tensor as tensor_array_to_tensor
from refluid.layers.creation import (
    arange as arange,
    diag as diag,
    eye as eye,
    fill_constant as fill_constant,
    fill_constant_batch_size_like as fill_constant_batch_size_like,
    full as full,
    full_like as full_like,
    linspace as linspace,
    ones as ones,
    ones_like as ones_like,
    range as range,
    tril as tril,
    triu as triu,
    zeros as zeros,
    zeros_like as zeros_like,
)
from refluid.layers.math import kron as kron, sums as sums, trace as trace
from refluid.layers.parameters import (
    create_global_var as create_global_var,
    create_parameter as create_parameter,
    create_tensor as create_tensor,
)
from refluid.layers.shape import concat as concat, reverse as reverse
from refluid.layers.tensor import argmax as argmax, argmin as argmin, argsort as argsort, assign as assign, cast as cast
from refluid.saving.layer import load_combine as load_combine, save as save, save_combine as save_combine

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
