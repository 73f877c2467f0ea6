"""Recurrent networks and decoders give what Fluid 1.8.5 gives: values, LoDs and gradients."""

import numpy as np
import pytest
from tests.models.oracle import recorded, source

recurrent = source("recurrent")
RECORDED = recorded("recurrent.json")


def array(value):
    return np.array(value["data"], value["dtype"]).reshape(value["shape"])


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_a_network_equals_its_recording(name):
    found, expected = recurrent.run(name), RECORDED[name]
    assert sorted(found["gradients"]) == sorted(expected["gradients"])
    assert found["lods"] == expected["lods"]
    for ours, theirs in zip(found["outputs"], map(array, expected["outputs"]), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    for key, theirs in expected["gradients"].items():
        np.testing.assert_allclose(found["gradients"][key], array(theirs), rtol=1e-4, atol=1e-6, err_msg=key)
