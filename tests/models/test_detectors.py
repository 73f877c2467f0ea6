"""Tiny detectors of five kinds are built, trained and asked as by Fluid 1.8.5."""

import numpy as np
import pytest
from tests.models.oracle import recorded, source

detectors = source("detectors")


@pytest.mark.parametrize("name", list(detectors.DETECTORS))
def test_detector_learns_and_finds_as_fluids(name):
    ran, expected = detectors.run(name), recorded("detectors.json")[name]
    assert ran["ops"] == expected["ops"]
    assert ran["losses"] == pytest.approx(expected["losses"], rel=2e-5)
    assert ran["lod"] == expected["lod"]
    found = np.array(expected["found"]["data"], "float32").reshape(expected["found"]["shape"])
    np.testing.assert_allclose(ran["found"], found, rtol=1e-4, atol=1e-4)
