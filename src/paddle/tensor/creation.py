"""paddle.tensor.creation: tensors filled with numbers."""

from refluid.alpha.tensor.creation import (
    eye as eye,
    full as full,
    full_like as full_like,
    linspace as linspace,
    ones as ones,
    ones_like as ones_like,
    zeros as zeros,
    zeros_like as zeros_like,
)
from refluid.layers.creation import (
    arange as arange,
    diag as diag,
    fill_constant as fill_constant,
    tril as tril,
    triu as triu,
)
from refluid.layers.parameters import create_tensor as create_tensor
from refluid.layers.shape import meshgrid as meshgrid
from refluid.layers.pad import crop_tensor as crop_tensor
