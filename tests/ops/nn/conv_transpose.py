"""Rows of conv2d_transpose, depthwise_conv2d_transpose and conv3d_transpose."""

import numpy as np
from tests.ops.cases import case, fixture, rand, refuse


def spread_windows(Input, Filter, strides, groups=1):
    """A transposed convolution without padding: every cell of Input adds its multiple of the window."""
    sizes = [(n - 1) * s + k for n, s, k in zip(Input.shape[2:], strides, Filter.shape[2:])]
    out = np.zeros((Input.shape[0], Filter.shape[1] * groups, *sizes))
    for x, w, y in zip(np.split(Input, groups, 1), np.split(Filter, groups), np.split(out, groups, 1)):
        for place in np.ndindex(*Input.shape[2:]):
            cut = tuple(slice(p * s, p * s + k) for p, s, k in zip(place, strides, Filter.shape[2:]))
            y[(slice(None), slice(None), *cut)] += np.tensordot(x[(slice(None), slice(None), *place)], w, 1)
    return out


for op in ("conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose"):
    fixture(op)

case(
    "conv2d_transpose",
    Input=rand(2, 4, 3, 3),
    Filter=rand(4, 3, 3, 2),
    Bias=rand(6),
    strides=[2, 1],
    groups=2,
    batch="Input",
    expect=lambda Input, Filter, Bias: spread_windows(Input, Filter, [2, 1], 2) + Bias.reshape(1, -1, 1, 1),
)
case(  # two groups cannot share three channels: Fluid leaves the last one out
    "conv2d_transpose",
    Input=rand(2, 3, 3, 3),
    Filter=rand(3, 1, 2, 2),
    groups=2,
    batch="Input",
    expect=lambda Input, Filter: spread_windows(Input[:, :2], Filter[:2], [1, 1], 2),
)
case(  # one more row and column than there would be: zeros behind, then cut by the paddings
    "conv2d_transpose",
    Input=rand(2, 3, 3, 3),
    Filter=rand(3, 2, 3, 3),
    strides=[2, 2],
    paddings=[1, 0, 0, 1],
    output_size=[7, 7],
    batch="Input",
    expect=lambda Input, Filter: np.pad(spread_windows(Input, Filter, [2, 2]), [(0, 0), (0, 0), (0, 1), (0, 0)])[
        :, :, 1:
    ],
)
case(
    "conv2d_transpose",
    Input=rand(2, 3, 3, 3),
    Filter=rand(3, 2, 3, 3),
    strides=[2, 2],
    padding_algorithm="SAME",
    batch="Input",
    expect=lambda Input, Filter: spread_windows(Input, Filter, [2, 2])[:, :, 1:-1, 1:-1],
)
case("conv2d_transpose", Input=rand(2, 3, 3, 4), Filter=rand(4, 2, 2, 2), data_format="NHWC", batch="Input")
case("conv2d_transpose", Input=rand(2, 3, 3, 3), Filter=rand(3, 2, 2, 2), dilations=[2, 1], batch="Input")
case(
    "depthwise_conv2d_transpose",
    Input=rand(2, 3, 3, 3),
    Filter=rand(3, 1, 2, 2),
    groups=3,
    batch="Input",
    expect=lambda Input, Filter: spread_windows(Input, Filter, [1, 1], 3),
)
case(
    "conv3d_transpose",
    Input=rand(2, 3, 2, 2, 2),
    Filter=rand(3, 2, 2, 2, 2),
    paddings=[1, 0, 0, 0, 0, 0],
    batch="Input",
    expect=lambda Input, Filter: spread_windows(Input, Filter, [1] * 3)[:, :, 1:],
)

image, filters = rand(2, 3, 3, 3), rand(3, 2, 3, 3)
for says, given in {
    "Input has 3 channels, but Filter takes 4": {"Filter": rand(4, 2, 3, 3)},
    "groups must be between 1 and the 3 channels of Input, got 4": {"groups": 4},
    "Bias must have shape [2], one number per filter, got [3]": {"Bias": rand(3)},
    "output_size must be [7, 7] or larger by less than strides [2, 2], got [9, 7]": {
        "strides": [2, 2],
        "output_size": [9, 7],
    },
    "the paddings [(3, 3), (0, 0)] leave nothing of Output": {"paddings": [3, 0]},
    "Filter must have 4 dimensions, got 3: [3, 2, 3]": {"Filter": rand(3, 2, 3)},
}.items():
    refuse("conv2d_transpose", **{"Input": image, "Filter": filters, **given}, says=f"conv2d_transpose: {says}")
