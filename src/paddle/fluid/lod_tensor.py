"""paddle.fluid.lod_tensor: making LoD tensors."""

from refluid.tensor.create import (
    create_lod_tensor as create_lod_tensor,
    create_random_int_lodtensor as create_random_int_lodtensor,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
