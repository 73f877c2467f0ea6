from tests.ops.cases import fixture

fixture("deformable_psroi_pooling")
