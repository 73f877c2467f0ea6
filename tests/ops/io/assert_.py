"""Rows of assert."""

import numpy as np
from tests.ops.cases import case, rand, refuse

case("assert", Cond=np.array([True]), Data=[rand(2, 3)], expect=lambda **_: ())
refuse("assert", Cond=np.array([True, False]), says="Cond must have one element, got [2]")
refuse("assert", Cond=rand(1), says="Cond must be bool")
refuse("assert", Cond=np.array([False]), Data=[np.array([1.5, 2, 3])], summarize=2,
       says="the condition is false: [3] [1.5 2 ...]")  # fmt: skip
