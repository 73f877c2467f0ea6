from tests.ops.cases import fixture

fixture("generate_mask_labels")
