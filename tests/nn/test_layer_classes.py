"""Every Layer class beside what 1.8.5 did: names, state, results and gradients."""

import numpy as np
import pytest
from tests.models.oracle import recorded, source

classes = source("layer_classes")
RECORDED = recorded("layer_classes.json")
NO_DERIVATIVE = {  # what 1.8.5 gives there is not the slope
    "group_norm": "without a gain",
    "spectral_norm": "at all",
    "tree_conv": "of the nodes",
    "tree_conv_chain": "of the nodes",
}


@pytest.mark.parametrize("name", RECORDED)
def test_a_layer_does_what_it_does_in_fluid(name):
    expected = RECORDED[name]
    found = classes.run(name)
    assert found["full_name"] == expected["full_name"]
    assert found["state"] == expected["state"]
    if "out" not in expected:
        return
    _close(found["out"], expected["out"], "out")
    assert set(found["grads"]) == set(expected["grads"])
    if name in NO_DERIVATIVE:
        return
    for key, grad in expected["grads"].items():
        _close(found["grads"][key], grad, key)


def _close(found, expected, what):
    array = np.array(expected["data"], expected["dtype"]).reshape(expected["shape"])
    np.testing.assert_allclose(found, array, rtol=1e-4, atol=1e-5, err_msg=what)
