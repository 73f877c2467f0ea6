"""Rows of deformable_conv, deformable_conv_v1 and similarity_focus."""

import numpy as np
from tests.ops.cases import case, fixture, rand, refuse, spread

fixture("similarity_focus")


def straight(Input, Filter):
    """A convolution with a padding of 1."""
    x = np.pad(Input, [(0, 0), (0, 0), (1, 1), (1, 1)])
    h, w = Input.shape[2:]
    cells = np.stack([x[:, :, i : i + h, j : j + w] for i in range(3) for j in range(3)], 2)
    return np.einsum("ncthw,fct->nfhw", cells, Filter.reshape(*Filter.shape[:2], 9))


pad = {"paddings": [1, 1], "im2col_step": 1}
still = np.zeros((2, 18, 4, 4))
case(
    "deformable_conv_v1",
    Input=rand(2, 3, 4, 4),
    Offset=still,
    Filter=rand(2, 3, 3, 3),
    **pad,
    batch="",
    grad_inputs="Input Filter",
    expect=straight,
)
half = np.full((2, 9, 4, 4), 0.5)
case(
    "deformable_conv",
    Input=rand(2, 3, 4, 4),
    Offset=still,
    Mask=half,
    Filter=rand(2, 3, 3, 3),
    **pad,
    batch="",
    grad_inputs="Input Filter Mask",
    expect=lambda Input, Filter: straight(Input, Filter) / 2,
)
case(  # one row down, one column right
    "deformable_conv_v1",
    Input=rand(1, 2, 4, 4),
    Offset=np.ones((1, 18, 4, 4)),
    Filter=rand(2, 2, 3, 3),
    **pad,
    batch="",
    grad_inputs="Input Filter",
    expect=lambda Input, Filter: (
        np.pad(straight(Input, Filter)[:, :, 1:, 1:], [(0, 0), (0, 0), (0, 1), (0, 1)]) + edge(Input, Filter)
    ),
)


def edge(Input, Filter):
    """What windows that look beyond the lower right edge still see."""
    wide = straight(np.pad(Input, [(0, 0), (0, 0), (0, 1), (0, 1)]), Filter)[:, :, 1:, 1:]
    wide[:, :, :-1, :-1] = 0
    return wide


case(
    "deformable_conv",
    Input=rand(2, 4, 4, 4),
    Offset=rand(2, 2 * 4 * 2, 3, 3, low=0.1, high=0.9),
    Mask=rand(2, 2 * 4, 3, 3),
    Filter=rand(4, 2, 2, 2),
    groups=2,
    deformable_groups=2,
    batch="",
)
refuse(
    "deformable_conv_v1",
    Input=rand(2, 3, 4, 4),
    Offset=rand(2, 8, 4, 4),
    Filter=rand(2, 3, 3, 3),
    **pad,
    says="Offset must have shape [2, 18, 4, 4], got [2, 8, 4, 4]",
)

case("similarity_focus", X=spread(2, 3, 2, 2), axis=1, indexes=[0, 2], expect=lambda X: chosen(X))


def chosen(X):
    """Of a 2 x 2 slice one diagonal is chosen: that of the largest cell."""
    out = np.zeros_like(X)
    for n in range(len(X)):
        for index in (0, 2):
            row, column = np.unravel_index(X[n, index].argmax(), (2, 2))
            out[n, :, row, column] = out[n, :, 1 - row, 1 - column] = 1
    return out


refuse("similarity_focus", X=rand(2, 3, 2, 2), axis=1, indexes=[3], says="indexes must lie in [0, 2], got [3]")
