import numpy as np
from tests.ops.cases import case, rand, refuse

# 1.8.5 lets every tensor begin at a multiple of 4096 bytes: 1024 elements of float32.
GIVEN = [rand(3, dtype="float32", seed=1), rand(2, 2, dtype="float32", seed=2)]


def laid_out(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    whole = np.zeros(2048, "float32")
    whole[:3], whole[1024:1028] = one.reshape(-1), other.reshape(-1)
    return whole


case("coalesce_tensor", Input=GIVEN, copy_data=True, expect=lambda Input: (Input, laid_out(*Input)))
case("coalesce_tensor", Input=GIVEN, set_constant=True, constant=2.5, check=lambda Output, FusedOutput: (
    (FusedOutput == 2.5).all() and [x.shape for x in Output] == [(3,), (2, 2)]))  # fmt: skip
refuse("coalesce_tensor", Input=GIVEN, copy_data=True, set_constant=True, says="cannot both be True")
