"""What Fluid 1.8.5 recorded of the math operators."""

from tests.ops.cases import fixture

OPS = """
abs acos addmm allclose asin atan bilinear_tensor_product bmm ceil clip clip_by_norm cos cos_sim cross cumsum dist dot
elementwise_add elementwise_div elementwise_floordiv elementwise_mod elementwise_mul elementwise_pow elementwise_sub erf
exp floor frobenius_norm isfinite isinf isnan kron l1_norm log log1p matmul mean minus mul norm p_norm partial_sum pow
reciprocal reduce_all reduce_any reduce_mean reduce_min reduce_prod reduce_sum round rsqrt scale sign sin sqrt square
squared_l2_distance squared_l2_norm sum trace
"""
for name in OPS.split():
    fixture(name)
fixture("increment", batch="")

# Where two are equal the gradient is no slope; test_kinks.py takes these.
fixture("elementwise_max", skip={1: "ties"})
fixture("elementwise_min", skip={0: "ties", 1: "ties"})
fixture("reduce_max", skip={3: "ties"})
