"""Functions that take the arguments of several releases."""

import inspect

import pytest

from refluid.core.errors import ArgumentError
from refluid.core.generations import begins_with_str, generations, older


class Box:
    """Something with two signatures."""

    @generations
    def __init__(self, width, height=1):
        self.args = (None, width, height)

    @older(__init__, before="1.7", when=begins_with_str("name_scope"))
    def _init_1_5(self, name_scope, height, width=2):
        """The height first."""
        self.args = (name_scope, width, height)


def test_a_call_means_the_signature_that_it_fits():
    assert Box(3).args == (None, 3, 1)
    assert Box("box", 4).args == ("box", 2, 4)
    assert Box(height=4, name_scope="box", width=5).args == ("box", 5, 4)


def test_help_shows_the_latest_signature_and_tells_of_the_older():
    assert list(inspect.signature(Box).parameters) == ["width", "height"]
    assert "Before 1.7: (name_scope, height, width=2)" in Box.__init__.__doc__
    assert "The height first." in Box.__init__.__doc__


def test_a_call_that_fits_neither_is_told_the_signature_that_it_seems_to_mean():
    with pytest.raises(
        ArgumentError, match=r"Box: got an unexpected keyword argument 'deep'; it takes \(width, height=1\)"
    ):
        Box(1, deep=2)
    with pytest.raises(ArgumentError, match=r"Box: missing a required argument: 'height'; it takes \(name_scope, "):
        Box("box")


def test_an_error_inside_is_not_taken_for_wrong_arguments():
    @generations
    def half(number):
        return number / 2

    with pytest.raises(TypeError, match="unsupported operand"):
        half("a")
