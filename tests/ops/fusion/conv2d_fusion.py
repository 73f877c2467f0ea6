"""conv2d_fusion and conv2d_inception_fusion, which 1.8.5 has for GPUs alone: compared with their parts in numpy."""

import numpy as np
from tests.ops.cases import case, rand, refuse


def convolved(x, weight, margin=0, groups=1):
    n = len(x)
    filters, channels, *window = weight.shape
    wide = np.pad(x, ((0, 0), (0, 0), (margin, margin), (margin, margin)))
    out = np.zeros((n, filters, wide.shape[2] - window[0] + 1, wide.shape[3] - window[1] + 1))
    for f in range(filters):
        start = f // (filters // groups) * channels
        for i in range(out.shape[2]):
            for j in range(out.shape[3]):
                part = wide[:, start : start + channels, i : i + window[0], j : j + window[1]]
                out[:, f, i, j] = (part * weight[f]).sum((1, 2, 3))
    return out


def fused(Input, Filter, Bias, ResidualData):
    out = np.maximum(convolved(Input, Filter, 1) + Bias.reshape(-1, 1, 1) + ResidualData, 0)
    return out, [out[:, :1], out[:, 1:]]


image = rand(2, 3, 4, 5)
case("conv2d_fusion", Input=image, Filter=rand(4, 3, 3, 3), Bias=rand(4), ResidualData=rand(2, 4, 4, 5),
     paddings=[1, 1], split_channels=[1, 3], expect=fused, batch="Input ResidualData")  # fmt: skip
case("conv2d_fusion", Input=image, Filter=rand(4, 3, 1, 1), activation="tanh", batch="Input",
     expect=lambda Input, Filter: (np.tanh(convolved(Input, Filter)), []))  # fmt: skip
refuse("conv2d_fusion", Input=image, Filter=rand(4, 3, 1, 1), activation="band_pass", says="got 'band_pass'")


def largest(x):
    wide = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    h, w = x.shape[2:]
    return np.max([wide[:, :, i : i + h, j : j + w] for i in range(3) for j in range(3)], 0)


def inception(Input, Filter, Bias):
    def layer(x, number, margin, groups=1):
        return np.maximum(convolved(x, Filter[number], margin, groups) + Bias[number].reshape(-1, 1, 1), 0)

    first, second = layer(largest(Input), 0, 0), layer(Input, 1, 0)
    third = layer(second[:, 2:], 2, 1, groups=2)
    fourth = layer(third[:, 1:], 3, 1)
    return np.concatenate([first, second[:, :2], third[:, :1], fourth], 1), None


weights = [rand(2, 3, 1, 1, seed=1), rand(6, 3, 1, 1, seed=2), rand(4, 2, 3, 3, seed=3), rand(2, 3, 3, 3, seed=4)]
biases = [rand(len(weight), seed=5) for weight in weights]
case("conv2d_inception_fusion", Input=image, Filter=weights, Bias=biases, pooling_type="max", expect=inception,
     batch="Input")  # fmt: skip
