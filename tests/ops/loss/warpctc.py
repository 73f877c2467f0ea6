import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("warpctc", skip={1: "norm_by_times divides the gradient alone, which is then no slope; see tests/layers"})
case("warpctc", Logits=ragged([[5, 3]], 4), Label=ragged([[2, 0]], 1, dtype="int64", low=0, high=3), blank=3)
refuse("warpctc", Logits=ragged([[5]], 4), Label=ragged([[2]], 1, dtype="int64", low=0, high=3), blank=4,
       says="blank must be one of the 4 classes, got 4")  # fmt: skip
refuse("warpctc", Logits=rand(5, 2, 4), Label=np.array([[1], [2], [3]]), LogitsLength=np.array([5, 5]),
       LabelLength=np.array([1, 1]), says="Logits must be [length, N, classes] and Label [N,")  # fmt: skip
