"""conv2d_fusion and conv2d_inception_fusion: convolutions with bias, residual addition, activation and split fused."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.nn.functional import avg_pool2d, max_pool2d

from refluid.core.errors import ArgumentError
from refluid.ops import registry
from refluid.ops.nn import conv  # noqa: F401  # registers what these are made of
from refluid.ops.registry import FLOATS, Tensor, op

convolve = registry.get("conv2d").kernel

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "identity": lambda x: x, "sigmoid": torch.sigmoid, "relu": torch.relu, "relu6": lambda x: x.clamp(0, 6),
    "tanh": torch.tanh,
}  # fmt: skip


@op("Output Outputs", duplicable="Outputs", dispensable="Outputs", nograd="*",
    dtypes={"Input": FLOATS, "Filter": FLOATS, "Bias": FLOATS}, extra_attrs={"search_times": "INT"})  # fmt: skip
def conv2d_fusion(
    Input: Tensor,
    Filter: Tensor,
    Bias: Tensor | None = None,
    ResidualData: Tensor | None = None,
    AlgoCache: Tensor | None = None,
    *,
    strides: list[int] = [1, 1],  # never changed
    paddings: list[int] = [0, 0],  # never changed
    padding_algorithm: str = "EXPLICIT",
    groups: int = 1,
    dilations: list[int] = [1, 1],  # never changed
    data_format: str = "NCHW",
    activation: str = "relu",
    split_channels: list[int] = [],  # never changed
) -> tuple[Tensor, list[Tensor]]:
    """Output = act(conv2d(Input) + ResidualData + Bias); Outputs are its channels in parts of split_channels.

    AlgoCache is for Fluid's own kernels and not used.
    """
    out = convolve(
        Input, Filter, None if Bias is None else Bias.reshape(-1), strides=strides, paddings=paddings,
        padding_algorithm=padding_algorithm, groups=groups, dilations=dilations, data_format=data_format,
    )  # fmt: skip
    out = _activation(activation)(out if ResidualData is None else out + ResidualData)
    return out, list(out.split(split_channels, 1)) if split_channels else []


@op("Output TempOutput", duplicable="TempOutput", intermediate="TempOutput", nograd="*",
    dtypes={"Input": FLOATS, "Filter": FLOATS, "Bias": FLOATS})  # fmt: skip
def conv2d_inception_fusion(
    Input: Tensor,
    Filter: list[Tensor],
    Bias: list[Tensor],
    *,
    pooling_type: str,
    exclusive: bool = True,
    activation: str = "relu",
) -> tuple[Tensor, list[Tensor]]:
    """The four branches of an Inception module (Szegedy et al., 2014), concatenated along the channels.

    Filter[0] (1 by 1) works on the pooled Input. Filter[1] (1 by 1) works on Input; its last channels go through
    Filter[2] (3 by 3, in two groups), and the last of those through Filter[3] (3 by 3). TempOutput are the pooled Input
    and all channels of Filter[2].
    """
    if len(Filter) != 4 or len(Bias) != 4:
        raise ArgumentError(f"there must be four of Filter and Bias, got {len(Filter)} and {len(Bias)}")
    if pooling_type not in ("max", "avg"):
        raise ArgumentError(f"pooling_type must be 'max' or 'avg', got {pooling_type!r}")
    act = _activation(activation)

    def layer(x: Tensor, number: int, margin: int, groups: int = 1) -> Tensor:
        bias = Bias[number].reshape(-1)
        return act(convolve(x, Filter[number], bias, paddings=[margin, margin], groups=groups))

    if pooling_type == "max":
        pooled = max_pool2d(Input, 3, 1, 1)
    else:
        pooled = avg_pool2d(Input, 3, 1, 1, count_include_pad=not exclusive)
    first, second = layer(pooled, 0, 0), layer(Input, 1, 0)
    own = second.shape[1] - 2 * Filter[2].shape[1]
    third = layer(second[:, own:], 2, 1, groups=2)
    kept = third.shape[1] - Filter[3].shape[1]
    fourth = layer(third[:, kept:], 3, 1)
    return torch.cat([first, second[:, :own], third[:, :kept], fourth], 1), [pooled, third]


def _activation(name: str) -> Callable[[Tensor], Tensor]:
    if name not in ACTIVATIONS:
        raise ArgumentError(f"activation must be one of {', '.join(ACTIVATIONS)}, got {name!r}")
    return ACTIVATIONS[name]
