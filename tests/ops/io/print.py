"""Rows of print."""

from tests.ops.cases import case, ragged, rand, refuse

SHOWN = {
    "first_n": -1,
    "message": "look",
    "summarize": 2,
    "print_tensor_name": True,
    "print_tensor_type": True,
    "print_tensor_shape": True,
    "print_tensor_lod": True,
}
case("print", In=rand(2, 3), expect=lambda In: In, **SHOWN)
case("print", In=ragged([[2, 1]], 4), expect=lambda In: In, expect_lod="In", **SHOWN)
refuse(
    "print",
    In=rand(2),
    says="print: print_phase must be forward, backward or both, got 'never'",
    print_phase="never",
    **SHOWN,
)
