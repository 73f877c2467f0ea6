from tests.ops.cases import fixture, rand, refuse

fixture("spp")
refuse(
    "spp",
    X=rand(1, 2, 3, 3),
    pyramid_height=1,
    pooling_type="sum",
    says="pooling_type must be 'max' or 'avg', got 'sum'",
)
