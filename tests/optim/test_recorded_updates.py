"""What optimizers, clips, regularizers, schedules and averages append equals what Fluid 1.8.5 appends.

Operators, their order, slots, names, roles and attributes, of the main and the startup program.
"""

import json
from typing import Any

import pytest
from tests.models.oracle import recorded, source

updates = source("updates")


def parts(line: str) -> tuple[str, Any, Any, Any]:
    head, rest = line.split(" {", 1)
    decoder, text, found = json.JSONDecoder(), "{" + rest, []
    while text:
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:].lstrip()
    return head, *found


def differs(ours: str, theirs: str) -> bool:
    """Whether two operators differ; an attribute that only Fluid notes down is a hint of its own."""
    (*known, attrs), (*wanted, noted) = parts(ours), parts(theirs)
    return known != wanted or any(noted.get(name, value) != about(value) for name, value in attrs.items())


def about(value: Any) -> Any:
    """The value; a number up to the digit that 32 bits round either way."""
    return pytest.approx(value, rel=3e-7, abs=0.0) if isinstance(value, float) else value


@pytest.mark.filterwarnings("ignore:.*set_gradient_clip.*")
@pytest.mark.parametrize("name", list(updates.UPDATES))
def test_appended_operators_equal_fluids(name):
    expected, got = recorded("updates.json")[name], updates.build(name)
    assert sorted(got) == sorted(expected)
    for role, wanted in expected.items():
        assert len(got[role]) == len(wanted), role
        for ours, theirs in zip(got[role], wanted, strict=True):
            assert not differs(ours, theirs), f"{role}\n  here  {ours}\n  Fluid {theirs}"
