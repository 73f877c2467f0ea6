"""Programs of trainers that sum gradients themselves, compared with what Fluid 1.8.5 makes of the same networks."""

import pytest

from tests.models.oracle import recorded, source
from tests.models.test_programs_equal import compare

programs = source("collective_programs")


@pytest.mark.parametrize("name", programs.CASES)
def test_every_mode_makes_the_programs_of_fluid(name):
    expected = recorded("collective_programs.json")[name]
    got = programs.describe_all(programs.build(name))
    if "local_sgd" in name:
        _give_parameters_their_dtype(expected["main"])
    lines = [f"{role} {line}" for role in expected for line in compare(expected[role], got[role])]
    assert not lines, "\n" + "\n".join(lines)


def _give_parameters_their_dtype(blocks):
    """1.8.5 declares parameters BOOL after LocalSGD: it infers them from copies that have no dtype yet."""
    for var in blocks[0]["vars"].values():
        if var.get("dtype") == "BOOL":
            var["dtype"] = "FP32"
