"""paddle.fluid.nets: small networks made of layers."""

from refluid.layers.nets import (
    glu as glu,
    img_conv_group as img_conv_group,
    scaled_dot_product_attention as scaled_dot_product_attention,
    sequence_conv_pool as sequence_conv_pool,
    simple_img_conv_pool as simple_img_conv_pool,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
