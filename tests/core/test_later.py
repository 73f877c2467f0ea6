"""What later folders define is found by name."""

import importlib
import re
from pathlib import Path

import refluid
from refluid.core.later import Later, LaterStatic

SRC = Path(refluid.__file__).parent


def test_everything_that_is_named_exists():
    named = [
        where for path in SRC.rglob("*.py") for where in re.findall(r'Later(?:Static)?\("(.*?)"\)', path.read_text())
    ]
    assert len(named) > 8
    for where in named:
        module, _, name = where.partition(":")
        assert callable(getattr(importlib.import_module(module), name)), where


class Number:
    real = 2
    doubled = Later("tests.core.test_later:times_two")
    parse = LaterStatic("tests.core.test_later:parse")


def times_two(number: Number) -> int:
    return 2 * number.real


def parse(text: str) -> int:
    return int(text)


def test_a_later_function_is_called_as_a_function_or_as_a_method():
    assert Later("tests.core.test_later:parse")("3") == 3
    assert Number().doubled() == 4 and Number.doubled(Number()) == 4
    assert Number.parse("5") == Number().parse("5") == 5
