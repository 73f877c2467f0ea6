"""Rows of the operators on SelectedRows."""

import numpy as np
from tests.ops.cases import case, rand, refuse, sparse

TWICE = sparse([2, 0, 2], width=2, height=3)

case("merge_selected_rows", X=TWICE, expect=TWICE.dense)
case("get_tensor_from_selected_rows", X=TWICE, expect=np.asarray(TWICE.data))
refuse("merge_selected_rows", X=rand(3, 2), says="merge_selected_rows: X must be a SelectedRows, got a dense tensor")

WIDE = sparse([4, 0, 4, 7, 12, 19], width=2, height=20)
case("split_selected_rows", X=WIDE, height_sections=[5, 5, 10], batch="",
     expect=[WIDE.dense[:5], WIDE.dense[5:10], WIDE.dense[10:]])  # fmt: skip
refuse("split_selected_rows", X=WIDE, height_sections=[5, 5],
       says="X has row 12, but height_sections [5, 5] end before it")  # fmt: skip
