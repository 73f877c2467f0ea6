"""Rows of lookup_table and lookup_table_v2."""

import numpy as np
from tests.ops.cases import case, fixture, ints, ragged, rand, refuse

fixture("lookup_table")
fixture("lookup_table_v2")

for sparse in (False, True):
    case(
        "lookup_table",
        W=rand(5, 3),
        Ids=ints(7, 1, high=5),
        is_sparse=sparse,
        batch="Ids",
        expect=lambda W, Ids: W[Ids[:, 0]],
    )
    case(
        "lookup_table_v2",
        W=rand(5, 3),
        Ids=ints(2, 4, high=5),
        is_sparse=sparse,
        batch="Ids",
        expect=lambda W, Ids: W[Ids],
    )
case(
    "lookup_table",
    W=rand(5, 3),
    Ids=np.array([[[1], [4]], [[2], [1]]]),
    padding_idx=1,
    batch="Ids",
    expect=lambda W, Ids: W[Ids[..., 0]] * (Ids != 1),
)
case("lookup_table_v2", W=rand(5, 3), Ids=np.array([3, 0, 3], "int32"), expect=lambda W: W[[3, 0, 3]], batch="Ids")
case("lookup_table", W=rand(5, 3), Ids=ragged([[2, 3]], 1, "int64", high=5), expect_lod="Ids", batch="Ids")
table = rand(5, 3)
for bad in (5, -2):
    for op in ("lookup_table", "lookup_table_v2"):
        refuse(op, W=table, Ids=np.array([[1], [bad]]), says=f"{op}: Ids has {bad}, but W has rows 0 to 4")
refuse("lookup_table", W=table, Ids=np.array([1, 2]), says="lookup_table: Ids must have a last axis of 1, got [2]")
refuse("lookup_table", W=rand(5, 3, 2), Ids=np.array([[1]]), says="W must be a table [rows, width], got [5, 3, 2]")
