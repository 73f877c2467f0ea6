"""paddle.nn.functional.vision: images."""

from refluid.layers.image import (
    affine_channel as affine_channel,
    affine_grid as affine_grid,
    fsp_matrix as fsp_matrix,
    grid_sampler as grid_sampler,
    pixel_shuffle as pixel_shuffle,
    shuffle_channel as shuffle_channel,
    space_to_depth as space_to_depth,
)
from refluid.layers.prior_boxes import prior_box as prior_box
from refluid.layers.resize import (
    image_resize as image_resize,
    image_resize_short as image_resize_short,
    resize_bilinear as resize_bilinear,
    resize_nearest as resize_nearest,
    resize_trilinear as resize_trilinear,
)
