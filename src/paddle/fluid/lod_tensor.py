"""paddle.fluid.lod_tensor: making LoD tensors."""

from refluid.tensor.create import (
    create_lod_tensor as create_lod_tensor,
    create_random_int_lodtensor as create_random_int_lodtensor,
)
