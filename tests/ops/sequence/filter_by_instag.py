import numpy as np
from tests.ops.cases import case, fixture, ragged, rand

fixture("filter_by_instag")
case("filter_by_instag", Ins=rand(2, 3), Ins_tag=ragged([[1, 1]], data=np.array([[1], [2]])), Filter_tag=np.array([2]),
     is_lod=False, expect={"LossWeight": np.ones((1, 1), "float32")}, batch="")  # fmt: skip
