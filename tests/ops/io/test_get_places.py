"""get_places gives a list of places."""

import pytest

from refluid.core.errors import ArgumentError
from refluid.core.places import CPUPlace
from refluid.ops.io.get_places import get_places


def test_it_gives_as_many_places_as_asked_for() -> None:
    assert get_places.kernel(device_count=2, device_type="CPU") == [CPUPlace(), CPUPlace()]
    assert len(get_places.kernel(device_type="CPU")) >= 1


def test_it_refuses_a_device_that_it_does_not_know() -> None:
    with pytest.raises(ArgumentError, match="device_type must be 'AUTO', 'CPU' or 'CUDA', got 'XPU'"):
        get_places.kernel(device_type="XPU")
