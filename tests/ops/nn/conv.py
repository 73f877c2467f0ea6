"""Rows of conv2d, depthwise_conv2d and conv3d."""

import numpy as np
from tests.ops.cases import case, fixture, ints, rand, refuse


def window_sums(Input, Filter, strides, dilations, groups=1):
    """A convolution without padding, cell by cell."""
    n, kernel = Input.shape[0], Filter.shape[2:]
    sizes = [(i - d * (k - 1) - 1) // s + 1 for i, k, s, d in zip(Input.shape[2:], kernel, strides, dilations)]
    out = np.zeros((n, Filter.shape[0], *sizes))
    parts = zip(np.split(Input, groups, 1), np.split(Filter, groups), np.split(out, groups, 1))
    for x, w, y in parts:  # the splits of `out` are views of it
        for place in np.ndindex(*sizes):
            starts = [p * s for p, s in zip(place, strides)]
            cut = tuple(slice(a, a + d * (k - 1) + 1, d) for a, k, d in zip(starts, kernel, dilations))
            y[(slice(None), slice(None), *place)] = np.tensordot(
                x[(slice(None), slice(None), *cut)],
                w,
                [list(range(1, w.ndim))] * 2,
            )
    return out


for op in ("conv2d", "depthwise_conv2d", "conv3d"):
    fixture(op)

case(
    "conv2d",
    Input=rand(2, 4, 7, 6),
    Filter=rand(6, 2, 3, 2),
    Bias=rand(6),
    strides=[2, 1],
    dilations=[1, 2],
    groups=2,
    batch="Input",
    expect=lambda Input, Filter, Bias: window_sums(Input, Filter, [2, 1], [1, 2], groups=2) + Bias.reshape(1, -1, 1, 1),
)
case(
    "conv2d",
    Input=rand(2, 5, 5, 3),
    Filter=rand(4, 3, 3, 3),
    paddings=[1, 0, 0, 2],
    data_format="NHWC",
    batch="Input",
    expect=lambda Input, Filter: window_sums(
        np.pad(Input, [(0, 0), (1, 0), (0, 2), (0, 0)]).transpose(0, 3, 1, 2), Filter, [1, 1], [1, 1]
    ).transpose(0, 2, 3, 1),
)
case(  # SAME knows no dilation, and puts the odd cell behind
    "conv2d",
    Input=rand(2, 3, 5, 6),
    Filter=rand(4, 3, 3, 2),
    strides=[2, 2],
    dilations=[2, 2],
    padding_algorithm="SAME",
    batch="Input",
    expect=lambda Input, Filter: window_sums(np.pad(Input, [(0, 0), (0, 0), (1, 1), (0, 0)]), Filter, [2, 2], [1, 1]),
)
case(
    "conv2d",
    Input=rand(2, 3, 5, 5),
    Filter=rand(4, 3, 2, 2),
    paddings=[1, 1],
    padding_algorithm="VALID",
    batch="Input",
    expect=lambda Input, Filter: window_sums(Input, Filter, [1, 1], [1, 1]),
)
for shape in (
    (9, 1, 3, 2),
    (2, 1, 3, 2),
):  # a single channel, which has a road of its own, and few filters, which has not
    case(
        "conv2d",
        Input=rand(2, 1, 6, 7),
        Filter=rand(*shape),
        Bias=rand(shape[0]),
        strides=[1, 2],
        dilations=[2, 1],
        paddings=[1, 0],
        batch="Input",
        expect=lambda Input, Filter, Bias: (
            window_sums(np.pad(Input, [(0, 0), (0, 0), (1, 1), (0, 0)]), Filter, [1, 2], [2, 1])
            + Bias.reshape(1, -1, 1, 1)
        ),
    )
case(
    "depthwise_conv2d",
    Input=rand(2, 3, 5, 5),
    Filter=rand(6, 1, 3, 3),
    groups=3,
    batch="Input",
    expect=lambda Input, Filter: window_sums(Input, Filter, [1, 1], [1, 1], groups=3),
)
case(
    "conv3d",
    Input=rand(2, 4, 4, 3, 3),
    Filter=rand(4, 2, 2, 2, 2),
    Bias=rand(4),
    paddings=[1, 0, 0, 0, 0, 1],
    groups=2,
    batch="Input",
    expect=lambda Input, Filter, Bias: (
        window_sums(np.pad(Input, [(0, 0), (0, 0), (1, 0), (0, 0), (0, 1)]), Filter, [1] * 3, [1] * 3, groups=2)
        + Bias.reshape(1, -1, 1, 1, 1)
    ),
)
case("conv3d", Input=rand(2, 4, 3, 3, 3), Filter=rand(4, 3, 2, 2, 2), data_format="NDHWC", batch="Input")

image, filters = rand(2, 3, 5, 5), rand(4, 3, 3, 3)
for says, given in {
    "Input must have 4 dimensions, got 3: [3, 5, 5]": {"Input": rand(3, 5, 5)},
    "Filter must have 4 dimensions, got 3: [4, 3, 3]": {"Filter": rand(4, 3, 3)},
    "Input has 3 channels, but Filter takes 1 (groups=1)": {"Filter": rand(4, 1, 3, 3)},
    "Input has 3 channels, but Filter takes 6 (groups=2)": {"groups": 2},
    "Filter has 4 output channels, which 3 groups cannot share evenly": {"Filter": rand(4, 1, 3, 3), "groups": 3},
    "Bias must have shape [4], one number per filter, got [3]": {"Bias": rand(3)},
    "the filter spans 7 cells of axis 2, but the padded Input has only 5": {"dilations": [3, 1]},
    "paddings must have 2 or 4 numbers, got [1, 1, 1]": {"paddings": [1, 1, 1]},
    "padding_algorithm must be EXPLICIT, SAME or VALID, got 'FULL'": {"padding_algorithm": "FULL"},
    "the data format must be one of NCHW, NCDHW, AnyLayout, NHWC, NDHWC, got 'NWHC'": {"data_format": "NWHC"},
}.items():
    refuse("conv2d", **{"Input": image, "Filter": filters, **given}, says=f"conv2d: {says}")
refuse("conv2d", Input=ints(2, 3, 5, 5), Filter=filters, says="conv2d: Input must be floating point, got int64")
refuse("conv3d", Input=image, Filter=filters, says="conv3d: Input must have 5 dimensions, got 4: [2, 3, 5, 5]")
