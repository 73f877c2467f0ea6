"""Rows of sum and partial_sum."""

from tests.ops.cases import case, ints, ragged, rand, refuse, sparse

SPARSE = {"grad": False, "why": "a SelectedRows is itself a gradient"}

case("sum", X=[rand(2, 3), rand(2, 3)], expect=lambda X: X[0] + X[1])
case("sum", X=[rand(2, 3)], expect=lambda X: X[0])
case("sum", X=[rand(2, 3), rand(2, 3), rand(2, 3), rand(2, 3)], expect=lambda X: sum(X))
case("sum", X=[ints(3), ints(3)], expect=lambda X: X[0] + X[1])
case("sum", X=[ragged([[2, 1]], 2), rand(3, 2)], expect=lambda X: X[0] + X[1], expect_lod=[[2, 1]])
case("sum", X=[sparse([1, 3, 1], 2, 5), sparse([0, 3], 2, 5)], **SPARSE, expect=lambda X: X[0].dense + X[1].dense)
case("sum", X=[sparse([1, 3, 1], 2, 5), rand(5, 2)], **SPARSE, expect=lambda X: X[0].dense + X[1])
case("sum", X=[rand(5, 2), sparse([1], 2, 5), rand(5, 2)], **SPARSE, expect=lambda X: X[0] + X[1].dense + X[2])
refuse("sum", X=[rand(2, 3), rand(3)], says="sum: X[0] has shape [2, 3], but X[1] has shape [3]")
refuse("sum", X=[rand(2), ints(2)], says="sum: X[0] is float64, but X[1] is int64")
refuse("sum", X=[rand(5, 3), sparse([1], 2, 5)], says="sum: X[0] has shape [5, 3], but X[1] has shape [5, 2]")

case("partial_sum", X=[rand(2, 4), rand(2, 4)], start_index=1, length=2, expect=lambda X: (X[0] + X[1])[:, 1:3])
case("partial_sum", X=[rand(2, 4), rand(2, 4)], start_index=1, expect=lambda X: (X[0] + X[1])[:, 1:])
case("partial_sum", X=[rand(2, 4), rand(2, 4), rand(2, 4)], start_index=-2, expect=lambda X: sum(X)[:, 2:])
refuse("partial_sum", X=[rand(2, 4)], start_index=3, length=2, says="X has 4 columns, but start_index=3, length=2")
refuse("partial_sum", X=[rand(4)], says="partial_sum: X must hold matrices, got shape [4]")
