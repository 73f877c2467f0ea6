"""What Fluid does with soft labels that are no distribution."""

import json

import numpy as np
import torch
from tests.ops.cases import FIXTURES

import refluid.ops  # noqa: F401  registers every operator
from refluid.ops.registry import get


def test_the_gradient_of_soft_labels_that_do_not_sum_to_one_is_fluids():
    recorded = json.loads((FIXTURES / "softmax_with_cross_entropy.json").read_text())[4]

    def stored(value):
        return torch.tensor(value["data"], dtype=torch.float32).reshape(value["shape"])

    label, out_grad = stored(recorded["inputs"]["Label"]), stored(recorded["out_grads"]["Loss"])
    softmax = torch.softmax(stored(recorded["inputs"]["Logits"]), 1)
    gradient = get("softmax_with_cross_entropy_grad").kernel
    found = gradient(label, softmax, out_grad, soft_label=True, ignore_index=-100, axis=1)
    np.testing.assert_allclose(found, stored(recorded["grads"]["Logits"]), atol=1e-6)
