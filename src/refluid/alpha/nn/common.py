"""UpSample: resizing as a layer."""

from __future__ import annotations

from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import ShapeLike
from refluid.layers.resize import image_resize
from refluid.nn.layer import Layer


class UpSample(Layer):
    """Resize images or volumes; see fluid.layers.image_resize.

    Args:
        out_shape: the new sizes of the spatial axes; None if `scale` is given.
        scale: the factor of the spatial sizes.
        resample: "BILINEAR", "TRILINEAR" or "NEAREST".
        align_corners: align the corner pixels of input and output.
        align_mode: without align_corners, 0 puts pixels at their centres, 1 at their corners.
        data_format: "NCHW" or "NHWC".
    """

    def __init__(
        self,
        out_shape: ShapeLike | None = None,
        scale: float | BaseVariable | None = None,
        resample: str = "BILINEAR",
        align_corners: bool = True,
        align_mode: int = 1,
        data_format: str = "NCHW",
    ):
        super().__init__()
        self._out_shape, self._scale, self._resample = out_shape, scale, resample
        self._align_corners, self._align_mode, self._data_format = align_corners, align_mode, data_format

    def forward(self, input: BaseVariable) -> BaseVariable:
        data_format = self._data_format
        if str(self._resample).upper() == "TRILINEAR":  # the default names the layout of images
            data_format = {"NCHW": "NCDHW", "NHWC": "NDHWC"}.get(data_format, data_format)
        return image_resize(
            input, out_shape=self._out_shape, scale=self._scale, resample=self._resample,
            align_corners=self._align_corners, align_mode=self._align_mode, data_format=data_format,
        )  # fmt: skip
