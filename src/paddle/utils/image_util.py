"""paddle.utils.image_util: arrays of pictures."""

from refluid.data.old_images import (
    ImageTransformer as ImageTransformer,
    crop_img as crop_img,
    decode_jpeg as decode_jpeg,
    flip as flip,
    load_image as load_image,
    load_meta as load_meta,
    oversample as oversample,
    preprocess_img as preprocess_img,
    resize_image as resize_image,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
