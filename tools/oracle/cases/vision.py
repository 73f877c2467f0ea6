"""Convolutions, pooling, resizing, sampling."""

import numpy as np

from cases.table import case, floats, lod, rand, spread

image = rand(1, 4, 5, 5)
CONV = [
    ({"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "groups": 1}, rand(3, 4, 3, 3)),
    ({"strides": [2, 1], "paddings": [1, 2], "dilations": [1, 1], "groups": 2}, rand(4, 2, 3, 3)),
    ({"strides": [1, 1], "paddings": [1, 0, 2, 1], "dilations": [2, 1], "groups": 1}, rand(2, 4, 2, 2)),
    ({"strides": [2, 2], "padding_algorithm": "SAME", "dilations": [1, 1], "groups": 1}, rand(2, 4, 3, 3)),
    ({"strides": [2, 2], "padding_algorithm": "VALID", "paddings": [1, 1], "dilations": [1, 1]}, rand(2, 4, 3, 3)),
]
for attrs, weight in CONV:
    case("conv2d", {"Input": image, "Filter": weight}, attrs, "Output", "Input Filter")
last = np.transpose(image, [0, 2, 3, 1]).copy()
case("conv2d", {"Input": last, "Filter": CONV[0][1]}, dict(CONV[0][0], data_format="NHWC"), "Output", "Input Filter")
case(
    "depthwise_conv2d",
    {"Input": image, "Filter": rand(4, 1, 3, 3)},
    {"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 4},
    "Output",
    "Input Filter",
)
case(
    "depthwise_conv2d",
    {"Input": image, "Filter": rand(8, 1, 2, 2)},
    {"strides": [2, 2], "paddings": [0, 0], "dilations": [1, 1], "groups": 4},
    "Output",
    "Input Filter",
)

small = rand(1, 4, 3, 3)
TRANSPOSED = [
    ({"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "groups": 1}, rand(4, 2, 3, 3)),
    ({"strides": [2, 2], "paddings": [1, 1], "dilations": [1, 1], "groups": 2}, rand(4, 1, 3, 3)),
    ({"strides": [2, 2], "paddings": [1, 0, 0, 1], "dilations": [1, 2], "groups": 1}, rand(4, 2, 2, 2)),
    (
        {"strides": [2, 2], "paddings": [1, 1], "dilations": [1, 1], "groups": 1, "output_size": [6, 6]},
        rand(4, 2, 3, 3),
    ),
    ({"strides": [2, 2], "padding_algorithm": "SAME", "dilations": [1, 1], "groups": 1}, rand(4, 2, 3, 3)),
]
for attrs, weight in TRANSPOSED:
    case("conv2d_transpose", {"Input": small, "Filter": weight}, attrs, "Output", "Input Filter")
case(
    "depthwise_conv2d_transpose",
    {"Input": small, "Filter": rand(4, 1, 3, 3)},
    {"strides": [2, 2], "paddings": [1, 1], "dilations": [1, 1], "groups": 4},
    "Output",
    "Input Filter",
)
volume = rand(1, 2, 3, 3, 3)
three = {"strides": [1, 1, 1], "paddings": [1, 0, 1], "dilations": [1, 1, 1], "groups": 1}
case("conv3d", {"Input": volume, "Filter": rand(2, 2, 2, 2, 2)}, three, "Output", "Input Filter")
case(
    "conv3d_transpose",
    {"Input": volume, "Filter": rand(2, 2, 2, 2, 2)},
    dict(three, strides=[2, 1, 1]),
    "Output",
    "Input Filter",
)

pooled = spread(1, 2, 5, 5, step=0.05)
WINDOWS = [
    {"ksize": [2, 2], "strides": [2, 2], "paddings": [0, 0]},
    {"ksize": [2, 2], "strides": [2, 2], "paddings": [0, 0], "ceil_mode": True},
    {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1], "exclusive": True},
    {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1], "exclusive": False},
    {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1], "ceil_mode": True, "exclusive": False},
    {"ksize": [3, 2], "strides": [1, 2], "paddings": [1, 0, 0, 1]},
    {"ksize": [3, 3], "strides": [2, 2], "padding_algorithm": "SAME"},
    {"ksize": [3, 3], "strides": [2, 2], "padding_algorithm": "VALID", "paddings": [1, 1]},
    {"ksize": [2, 3], "adaptive": True},
    {"ksize": [1, 1], "global_pooling": True},
]
for kind in ("max", "avg"):
    for window in WINDOWS:
        case("pool2d", {"X": pooled}, dict(window, pooling_type=kind), grad="X")
case(
    "pool2d",
    {"X": np.transpose(pooled, [0, 2, 3, 1]).copy()},
    dict(WINDOWS[2], pooling_type="avg", data_format="NHWC"),
    grad="X",
)
deep = spread(1, 1, 3, 4, 4, step=0.05)
for kind in ("max", "avg"):
    case(
        "pool3d",
        {"X": deep},
        {"pooling_type": kind, "ksize": [2, 2, 2], "strides": [1, 2, 2], "paddings": [0, 1, 0]},
        grad="X",
    )
    case("pool3d", {"X": deep}, {"pooling_type": kind, "ksize": [2, 3, 1], "adaptive": True}, grad="X")
case("max_pool2d_with_index", {"X": pooled}, {"ksize": [2, 2], "strides": [2, 2], "paddings": [1, 1]}, "Out Mask", "X")
case("max_pool2d_with_index", {"X": pooled}, {"ksize": [2, 3], "adaptive": True}, "Out Mask", "X")
case(
    "max_pool3d_with_index",
    {"X": deep},
    {"ksize": [2, 2, 2], "strides": [1, 2, 2], "paddings": [0, 0, 0]},
    "Out Mask",
    "X",
)
case(
    "unpool",
    {"X": rand(1, 1, 2, 2), "Indices": np.array([[[[0, 3], [9, 15]]]], "int32")},
    {"ksize": [2, 2], "strides": [2, 2], "paddings": [0, 0], "unpooling_type": "max"},
    grad="X",
)
for kind in ("max", "avg"):
    case("spp", {"X": pooled}, {"pyramid_height": 2, "pooling_type": kind}, grad="X")

picture = rand(1, 2, 3, 4)
for align_corners, align_mode in ((True, 1), (False, 1), (False, 0)):
    align = {"align_corners": align_corners, "align_mode": align_mode, "interp_method": "bilinear"}
    case("bilinear_interp", {"X": picture}, dict(align, out_h=5, out_w=6), grad="X")
    case("bilinear_interp", {"X": picture}, dict(align, out_h=2, out_w=2), grad="X")
    case("bilinear_interp", {"X": picture}, dict(align, out_h=-1, out_w=-1, scale=2.0), grad="X")
    cubed = dict(align, out_d=4, out_h=2, out_w=5, interp_method="trilinear")
    case("trilinear_interp", {"X": rand(1, 1, 2, 3, 3)}, cubed, grad="X")
for align_corners in (True, False):
    nearest = {"align_corners": align_corners, "interp_method": "nearest"}
    case("nearest_interp", {"X": picture}, dict(nearest, out_h=5, out_w=6), grad="X")
    case("nearest_interp", {"X": picture}, dict(nearest, out_h=2, out_w=3), grad="X")
    case(
        "bicubic_interp",
        {"X": picture},
        {"align_corners": align_corners, "interp_method": "bicubic", "out_h": 5, "out_w": 6},
        grad="X",
    )
case(
    "bilinear_interp",
    {"X": picture, "OutSize": np.array([4, 5], "int32")},
    {"out_h": 2, "out_w": 2, "interp_method": "bilinear"},
    grad="X",
)
case(
    "bilinear_interp",
    {"X": np.transpose(picture, [0, 2, 3, 1]).copy()},
    {"out_h": 5, "out_w": 3, "interp_method": "bilinear", "data_layout": "NHWC"},
    grad="X",
)

case("grid_sampler", {"X": rand(1, 2, 3, 3), "Grid": rand(1, 3, 3, 2, low=-1.3, high=1.3)}, {}, "Output", "X Grid")
case("affine_grid", {"Theta": rand(2, 2, 3)}, {"output_shape": [2, 1, 2, 3]}, "Output", "Theta")
case("affine_grid", {"Theta": rand(1, 2, 3), "OutputShape": np.array([1, 1, 3, 2], "int32")}, {}, "Output")
boxes = lod(floats([0, 0, 3, 3], [1, 1, 4, 2]), [2])
scaled = {"spatial_scale": 1.0, "pooled_height": 2, "pooled_width": 2}
case("roi_pool", {"X": pooled, "ROIs": boxes}, scaled, "Out Argmax", "X")
case("roi_align", {"X": pooled, "ROIs": boxes}, dict(scaled, sampling_ratio=2), "Out", "X")
case("psroi_pool", {"X": spread(1, 8, 5, 5, step=0.02), "ROIs": boxes}, dict(scaled, output_channels=2), "Out", "X")
case("similarity_focus", {"X": spread(1, 3, 2, 2)}, {"axis": 1, "indexes": [0]})
