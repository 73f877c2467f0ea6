"""Short trainings from equal parameters end where they end in Fluid 1.8.5, in both modes."""

from typing import Any

import numpy as np
import pytest
from tests.models.oracle import recorded, source

training, imperative = source("training"), source("imperative")
rates, layer_cases = source("rates"), source("layer_cases")

IMPERATIVE = [("Digits", name) for name in imperative.OPTIMIZERS] + [("Block", "adam")]


def assert_equal(got: Any, expected: Any, what: str) -> None:
    """Arrays by value, shape and dtype; dicts and lists item by item; numbers to five digits."""
    if isinstance(expected, dict) and "data" in expected:
        got, want = np.asarray(got), np.array(expected["data"], expected["dtype"]).reshape(expected["shape"])
        assert (got.shape, got.dtype) == (want.shape, want.dtype), what
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6, err_msg=what)
    elif isinstance(expected, dict):
        assert sorted(got) == sorted(expected), what
        for key, value in expected.items():
            assert_equal(got[key], value, f"{what}.{key}")
    elif isinstance(expected, list):
        assert len(got) == len(expected), what
        for index, value in enumerate(expected):
            assert_equal(got[index], value, f"{what}[{index}]")
    elif isinstance(expected, float):
        assert got == pytest.approx(expected, rel=2e-5, abs=1e-7), what
    else:
        assert got == expected, what


@pytest.mark.filterwarnings("ignore:.*set_gradient_clip.*")
@pytest.mark.parametrize("name", list(training.TRAININGS))
def test_static_training_ends_where_fluids_ends(name):
    assert_equal(training.run(name), recorded(f"training/{name}.json"), name)


@pytest.mark.parametrize(("model", "optimizer"), IMPERATIVE)
def test_imperative_training_ends_where_fluids_ends(model, optimizer):
    expected = recorded(f"training/imperative_{model.lower()}_{optimizer}.json")
    assert_equal(imperative.train(model, optimizer), expected, f"{model} {optimizer}")


@pytest.mark.parametrize("name", list(rates.STATIC))
def test_rate_as_operators_falls_as_fluids(name):
    assert_equal(rates.static_rates(name), recorded("training/learning_rates.json")["static"][name], name)


@pytest.mark.parametrize("name", list(rates.IMPERATIVE))
def test_rate_as_object_falls_as_fluids(name):
    assert_equal(rates.imperative_rates(name), recorded("training/learning_rates.json")["imperative"][name], name)


@pytest.mark.parametrize("name", list(layer_cases.LAYERS))
def test_composed_function_gives_fluids_values(name):
    assert_equal(layer_cases.run(name), recorded("layers.json")[name], name)
