"""fluid.contrib.slim beside 1.8.5: the modules tools/oracle/slim_*.py run here, and give what was recorded there."""

from typing import Any

import numpy as np
import pytest
from tests.models.oracle import recorded, source

PARTS = ("post_training", "quantization", "strategies")
CASES = [(part, name) for part in PARTS for name in sorted(recorded(f"slim/{part}.json"))]


@pytest.mark.parametrize(("part", "name"), CASES)
def test_slim_does_what_1_8_5_does(part, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CPU_NUM", "1")
    found = source(f"slim_{part}").CASES[name]()
    compare(found, recorded(f"slim/{part}.json")[name], name)


def compare(found: Any, expected: Any, where: str) -> None:
    if isinstance(expected, dict):
        assert sorted(found) == sorted(expected), where
        for key in expected:
            compare(found[key], expected[key], f"{where}.{key}")
    elif isinstance(expected, list) and expected and isinstance(expected[0], list):
        for position, (here, there) in enumerate(zip(found, expected, strict=True)):
            compare(here, there, f"{where}[{position}]")
    elif isinstance(expected, list) and expected and isinstance(expected[0], int | float):
        np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-6, err_msg=where)
    else:
        assert found == expected, where
