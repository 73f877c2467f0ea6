"""Programs of trainers and parameter servers, compared with those that Fluid 1.8.5 makes of the same networks."""

import pytest

from tests.models.oracle import recorded, source
from tests.models.test_programs_equal import compare

transpiled = source("transpiled")


@pytest.mark.filterwarnings("ignore:.*set_gradient_clip.*")
@pytest.mark.parametrize("name", transpiled.CASES)
def test_every_process_gets_the_programs_of_fluid(name):
    expected = recorded(f"transpiled/{name}.json")
    got = transpiled.describe_all(transpiled.build(name))
    assert sorted(got) == sorted(expected)
    lines = [f"{role} {line}" for role in expected for line in compare(expected[role], got[role])]
    assert not lines, "\n" + "\n".join(lines)
