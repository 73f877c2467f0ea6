"""Rows of flatten_contiguous_range."""

from tests.ops.cases import case, ragged, rand, refuse

OP = "flatten_contiguous_range"
case(OP, X=rand(2, 3, 4, 5), start_axis=1, stop_axis=2, expect=lambda X: X.reshape(2, 12, 5))
case(OP, X=rand(2, 3, 4), start_axis=1, stop_axis=-1, expect=lambda X: X.reshape(2, 12))
case(OP, X=rand(2, 3, 4), start_axis=-3, stop_axis=-2, expect=lambda X: X.reshape(6, 4))
case(OP, X=rand(2, 3), expect=lambda X: X)
case(OP, X=ragged([[2, 1]], (2, 2)), stop_axis=2, expect=lambda X: X.reshape(3, 4), expect_lod="X")
case(OP, X=ragged([[2, 1]], (2, 2)), start_axis=0, stop_axis=1, expect=lambda X: X.reshape(6, 2), expect_lod=[])
refuse(OP, X=rand(2, 3), stop_axis=2, says="stop_axis must be in [-2, 1] for a tensor of rank 2, got 2")
refuse(OP, X=rand(2, 3), start_axis=1, stop_axis=0, says="start_axis 1 must not come after stop_axis 0")
