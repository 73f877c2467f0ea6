"""Resized images, and pixels moved between space and channels."""

from __future__ import annotations

import torch

from refluid.export.mapping import Unsupported, Value
from refluid.export.to_onnx.conv import channels_first
from refluid.export.to_onnx.graph import Graph, maps

MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic"}


@maps("nearest_interp", "linear_interp", "bilinear_interp", "trilinear_interp", "bicubic_interp")
def interp(
    g: Graph,
    X: Value,
    OutSize: Value | None,
    SizeTensor: list[Value],
    Scale: Value | None,
    *,
    data_layout: str,
    out_d: int,
    out_h: int,
    out_w: int,
    scale: float,
    interp_method: str,
    align_corners: bool,
    align_mode: int,
) -> str:
    def sizes(x: Value) -> str:
        named = [out_d, out_h, out_w][-(x.rank - 2) :]
        if SizeTensor or OutSize is not None:
            return g.given([], OutSize, SizeTensor)
        if Scale is None and scale <= 0:
            return g.ints(*named)
        factor = g.constant([scale], torch.float32) if Scale is None else g.cast(g.reshape(Scale, -1), torch.float32)
        grown = g.node("Mul", g.cast(g.sizes(x, 2), torch.float32), factor)
        return g.cast(g.node("Floor", grown), torch.int64)

    def compute(x: Value) -> str:
        if interp_method == "bicubic" and not align_corners and 1 in (out_h, out_w):
            raise Unsupported("ONNX places a bicubic image of size 1 elsewhere than Fluid does")
        whole = g.concat(g.sizes(x, 0, 2), sizes(x))
        return g.node("Resize", x, None, None, whole, mode=MODES[interp_method], **places)

    places: dict[str, object] = {"coordinate_transformation_mode": "pytorch_half_pixel"}
    if align_corners:
        places["coordinate_transformation_mode"] = "align_corners"
    elif interp_method == "nearest" or (align_mode == 1 and interp_method != "bicubic"):
        places["coordinate_transformation_mode"] = "asymmetric"
    if interp_method == "nearest":
        places["nearest_mode"] = "round_prefer_ceil" if align_corners else "floor"
    if interp_method == "bicubic":
        places["cubic_coeff_a"] = -0.75
    return channels_first(g, X, data_layout, compute)


@maps("grid_sampler")
def grid_sampler(g: Graph, X: Value, Grid: Value) -> str:
    return g.node("GridSample", X, Grid, mode="bilinear", padding_mode="zeros", align_corners=1)


@maps("pixel_shuffle")
def pixel_shuffle(g: Graph, X: Value, *, upscale_factor: int) -> str:
    return g.node("DepthToSpace", X, blocksize=upscale_factor, mode="CRD")


@maps("shuffle_channel")
def shuffle_channel(g: Graph, X: Value, *, group: int) -> str:
    height, width = g.sizes(X, 2, 3), g.sizes(X, 3, 4)
    parts = g.node("Reshape", X, g.concat(g.ints(0, group, -1), height, width))
    return g.node("Reshape", g.transpose(parts, 0, 2, 1, 3, 4), g.sizes(X))


@maps("space_to_depth")
def space_to_depth(g: Graph, X: Value, *, blocksize: int) -> str:
    _, channels, height, width = X.shape
    b = blocksize
    if min(channels, height, width) < 0:
        raise Unsupported(f"it needs fixed sizes of channels and image, but X is {list(X.shape)}")
    parts = g.reshape(X, -1, b, b, channels // (b * b), height, width)
    return g.reshape(g.transpose(parts, 0, 3, 4, 1, 5, 2), -1, channels * b * b, height // b, width // b)
