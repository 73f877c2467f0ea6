"""UpSample: resizing as a layer."""

from __future__ import annotations

from typing import Any

from refluid.layers.resize import image_resize
from refluid.nn.layer import Layer


class UpSample(Layer):
    """Images or volumes of another size; see fluid.layers.image_resize.

    Args:
        out_shape: the new sizes, or `scale`: a factor.
        resample: "BILINEAR", "TRILINEAR" or "NEAREST".
        align_corners: the corner pixels of both images lie on each other.
        align_mode: without align_corners, 0 puts pixels at their centres, 1 at their corners.
    """

    def __init__(self, out_shape: Any = None, scale: Any = None, resample: str = "BILINEAR",
                 align_corners: bool = True, align_mode: int = 1, data_format: str = "NCHW"):  # fmt: skip
        super().__init__()
        self._out_shape, self._scale, self._resample = out_shape, scale, resample
        self._align_corners, self._align_mode, self._data_format = align_corners, align_mode, data_format

    def forward(self, input: Any) -> Any:
        data_format = self._data_format
        if str(self._resample).upper() == "TRILINEAR":  # the default names the layout of images
            data_format = {"NCHW": "NCDHW", "NHWC": "NDHWC"}.get(data_format, data_format)
        return image_resize(
            input, out_shape=self._out_shape, scale=self._scale, resample=self._resample,
            align_corners=self._align_corners, align_mode=self._align_mode, data_format=data_format,
        )  # fmt: skip
