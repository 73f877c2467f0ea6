from tests.ops.cases import fixture

fixture("density_prior_box")
