"""Rows of merge_selected_rows and get_tensor_from_selected_rows."""

import numpy as np
from tests.ops.cases import case, rand, refuse, sparse

TWICE = sparse([2, 0, 2], width=2, height=3)

case("merge_selected_rows", X=TWICE, expect=TWICE.dense)
case("get_tensor_from_selected_rows", X=TWICE, expect=np.asarray(TWICE.data))
refuse("merge_selected_rows", X=rand(3, 2), says="merge_selected_rows: X must be a SelectedRows, got a dense tensor")
