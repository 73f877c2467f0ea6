"""A convolutional network as a list of layers."""

from __future__ import annotations

from dataclasses import dataclass, field

from refluid.executor.derived import Derived

Source = str | Derived


@dataclass(frozen=True)
class Layer:
    """What computes one value from others; values are numbered. `residual` is added, then negatives are set to 0."""

    kind: str  # convolution, product, pooling, addition, rectifier, softmax
    inputs: tuple[int, ...]
    output: int
    weights: int | None = None  # which of the parameters
    bias: int | None = None
    residual: int | None = None
    rectify: bool = False
    strides: tuple[int, ...] = (1, 1)
    paddings: tuple[int, ...] = (0, 0)
    dilations: tuple[int, ...] = (1, 1)
    ksize: tuple[int, ...] = (1, 1)
    average: bool = False
    exclusive: bool = True
    everything: bool = False  # the pooling window is the image

    def reads(self) -> tuple[int, ...]:
        return self.inputs if self.residual is None else (*self.inputs, self.residual)


@dataclass
class Description:
    """All layers of a plan, in order; `inputs` are the values of the feeds, `outputs` those of the fetches."""

    layers: list[Layer] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    parameters: list[Source] = field(default_factory=list)
