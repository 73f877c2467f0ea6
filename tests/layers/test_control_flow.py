import numpy as np
import pytest
from tests.layers.modes import declare, run

from refluid.core.errors import ArgumentError, DtypeError, ModeError
from refluid.eager import base as imperative
from refluid.ir.program import default_main_program
from refluid.layers.compare import less_than
from refluid.layers.control_flow import Switch
from refluid.layers.creation import fill_constant
from refluid.layers.math import scale
from refluid.layers.parameters import create_global_var
from refluid.layers.tensor import assign


def step_rate(step):
    """1 below 3, twice the step below 7, then 3."""
    rate = create_global_var([1], 9.0, "float32", persistable=True, name="rate")
    with Switch() as switch:
        with switch.case(less_than(step, fill_constant([1], "float32", 3.0))):
            assign(fill_constant([1], "float32", 1.0), rate)
        with switch.case(less_than(step, fill_constant([1], "float32", 7.0))):
            assign(scale(step, 2.0), rate)
        with switch.default():
            fill_constant([1], "float32", 3.0, out=rate)
    return rate


@pytest.mark.parametrize(("step", "expected"), [(2, 1), (5, 10), (7, 3)])
def test_the_first_case_that_holds_runs(step, expected):
    value = np.array([step], "float32")
    (rate,) = run([step_rate(*declare(step=value))], step=value)
    assert np.array(rate).tolist() == [expected]


def test_a_switch_without_a_default_leaves_the_variable_as_it_was():
    value = np.array([1.0], "float32")
    (step,) = declare(step=value)
    rate = create_global_var([1], 9.0, "float32", persistable=True)
    with Switch() as switch, switch.case(less_than(step, step)):
        assign(step, rate)
    assert np.array(run([rate], step=value)[0]).tolist() == [9.0]


def test_blocks_and_slots_are_those_of_fluid():
    step_rate(*declare(step=np.ones(1, "float32")))
    program = default_main_program()
    assert [op.type for op in program.global_block().ops] == [
        "fill_constant", "less_than", "logical_not", "conditional_block",
        "fill_constant", "less_than", "logical_not", "logical_and", "logical_and", "conditional_block",
        "conditional_block",
    ]  # fmt: skip
    second = [op for op in program.global_block().ops if op.type == "conditional_block"][1]
    assert second.input("Cond") == ["logical_and_1.tmp_0"] and second.input("Input") == ["step"]
    assert second.output("Out") == ["rate"] and second.output("Scope") == ["_generated_var_1"]
    assert [block.parent_idx for block in program.blocks] == [-1, 0, 0, 0]
    assert [op.type for op in program.block(2).ops] == ["scale", "assign"]


def test_refusals():
    (x,) = declare(x=np.ones(1, "float32"))
    with pytest.raises(ArgumentError, match="Switch.case: call it inside"), Switch().case(x):
        pass
    with pytest.raises(DtypeError, match="Switch.case: condition must be bool, got float32"):
        with Switch() as switch, switch.case(x):
            pass
    with pytest.raises(ArgumentError, match=r"Switch.default: call it after at least one Switch.case"):
        with Switch() as switch, switch.default():
            pass
    with imperative.guard(), pytest.raises(ModeError, match="in the imperative mode write if and else"), Switch():
        pass
