import numpy as np

from tests.ops.cases import case, ints, rand, refuse

WHY = "its gradient is select_output, which programs hold; tests/executor/test_blocks.py differentiates it"
for position in (0, 1):
    case("select_input", X=[rand(2, 3, seed=1), rand(2, 3, seed=2)], Mask=np.array([position], "int32"),
         expect=lambda X, Mask: X[Mask[0]], grad=False, why=WHY)  # fmt: skip
refuse("select_input", X=[rand(2, 3), rand(2, 3)], Mask=np.array([2], "int32"), says="Mask must be 0 to 1, got 2")
refuse(
    "select_input", X=[rand(2, 3), rand(2, 3)], Mask=ints(2, high=2, dtype="int32"), says="Mask must have one element"
)
