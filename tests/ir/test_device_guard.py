import pytest

import paddle.fluid as fluid


def test_operators_carry_the_device_they_are_meant_for():
    program = fluid.Program()
    with fluid.program_guard(program, fluid.Program()):
        x = fluid.data("x", [2, 3])
        with fluid.device_guard("gpu"):
            x = x + 1.0
            with fluid.device_guard("cpu"):
                x = x * 2.0
            x = x - 1.0
        x * 3.0
    ops = program.global_block().ops
    assert [op.attrs.get("op_device", "") for op in ops] == ["gpu", "cpu", "gpu", ""]


def test_other_devices_are_refused():
    with pytest.raises(fluid.core.EnforceNotMet, match="device must be 'cpu', 'gpu', '' or None, got 'xpu'"):
        with fluid.device_guard("xpu"):
            pass


def test_a_global_seed_is_that_of_new_programs():
    try:
        fluid.Program().global_seed(102)
        assert fluid.Program().random_seed == 102
    finally:
        fluid.Program().global_seed(0)
    assert fluid.Program().random_seed == 0
