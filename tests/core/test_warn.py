"""warn_once: one warning for every message and line of the user."""

import warnings

import pytest

from refluid.core.errors import ArgumentError
from refluid.core.warn import warn_once


def test_a_line_in_a_loop_is_warned_of_once_and_named():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(3):
            warn_once("probably a mistake")
        warn_once("probably a mistake")
    assert [w.filename for w in seen] == [__file__, __file__]
    assert seen[1].lineno > seen[0].lineno


@pytest.mark.parametrize("kind", [TypeError, ValueError, RuntimeError])
def test_a_wrong_argument_is_caught_as_what_fluid_raises(kind):
    with pytest.raises(kind):
        raise ArgumentError("fc: size must be positive")
