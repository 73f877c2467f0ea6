"""core.globals(): the flags as a mapping."""

import pytest

import paddle.fluid as fluid


def test_the_flags_are_read_and_set_through_a_mapping():
    flags = fluid.core.globals()
    assert "FLAGS_check_nan_inf" in flags and flags["FLAGS_eager_delete_tensor_gb"] == 0.0
    assert flags.is_public("FLAGS_check_nan_inf") and not flags.is_public("FLAGS_other")
    flags["FLAGS_check_nan_inf"] = True
    try:
        assert fluid.get_flags("FLAGS_check_nan_inf") == {"FLAGS_check_nan_inf": True}
    finally:
        flags["FLAGS_check_nan_inf"] = False
    with pytest.raises(fluid.core.EnforceNotMet, match="flag 'FLAGS_other' does not exist"):
        flags["FLAGS_other"]
