"""Calls of the Python API do what they do in Fluid 1.8.5: values, shapes, dtypes, LoDs, names, exceptions.

The calls are in tools/oracle/calls, what 1.8.5 did with them in tests/fixtures/calls (tools/oracle/record_calls.py).
"""

import json
import warnings

import pytest

from tests.calls.compare import differences
from tests.calls.tables import cases, recorded, subjects

CASES = [pytest.param(subject, key, id=f"{subject}: {key}") for subject in subjects() for key in cases(subject)]


@pytest.mark.parametrize(("subject", "key"), CASES)
def test_a_call_does_what_it_does_in_fluid(subject, key):
    case = cases(subject)[key]
    fluid = recorded(subject).get(key)
    assert fluid is not None, f"record it: python tools/oracle/record_calls.py {subject}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Refluid warns of calls that are probably mistakes
        ours = json.loads(json.dumps(case["run"]()))
    found = differences(fluid, ours)
    if case["differs"]:
        assert found, f"it does what Fluid does: take away differs={case['differs']!r}"
    else:
        assert not found, "\n".join(found)


@pytest.mark.parametrize("subject", subjects())
def test_every_recording_belongs_to_a_call(subject):
    assert set(recorded(subject)) == set(cases(subject))
