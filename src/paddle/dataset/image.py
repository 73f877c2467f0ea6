"""paddle.dataset.image: images as arrays."""

from refluid.data.datasets.image import (
    batch_images_from_tar as batch_images_from_tar,
    center_crop as center_crop,
    left_right_flip as left_right_flip,
    load_and_transform as load_and_transform,
    load_image as load_image,
    load_image_bytes as load_image_bytes,
    random_crop as random_crop,
    resize_short as resize_short,
    simple_transform as simple_transform,
    to_chw as to_chw,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
