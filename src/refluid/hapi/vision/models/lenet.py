"""LeNet, of LeCun and others, 1998."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.hapi.model import Model
from refluid.layers.shape import flatten
from refluid.nn.container import Sequential
from refluid.nn.conv import Conv2D
from refluid.nn.linear import Linear
from refluid.nn.pool import Pool2D

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


class LeNet(Model):
    """For images [N, 1, 28, 28].

    Args:
        num_classes: the size of the output; none or negative leaves the linear layers out.
        classifier_activation: of the output.
    """

    def __init__(self, num_classes: int = 10, classifier_activation: str | None = "softmax"):
        super().__init__()
        self.num_classes = num_classes
        self.features = Sequential(
            Conv2D(1, 6, 3, stride=1, padding=1),
            Pool2D(2, "max", 2),
            Conv2D(6, 16, 5, stride=1, padding=0),
            Pool2D(2, "max", 2),
        )
        if num_classes > 0:
            self.fc = Sequential(Linear(400, 120), Linear(120, 84), Linear(84, num_classes, act=classifier_activation))

    def forward(self, inputs: BaseVariable) -> BaseVariable:
        x = self.features(inputs)
        return self.fc(flatten(x, 1)) if self.num_classes > 0 else x
