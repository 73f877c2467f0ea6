"""The names of 2.0-alpha exist and take what they took: nn/api.spec and tensor/api.spec list them."""

import inspect
from pathlib import Path

import pytest
from tests.facade.test_signatures import parameters, resolve

HERE = Path(__file__).parent
LINES = [line for part in ("nn", "tensor") for line in (HERE / part / "api.spec").read_text().splitlines()]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.split(" ")[0])
def test_name_exists_and_takes_what_2_0_alphas_takes(line):
    name, _, signature = line.partition(" ")
    found = resolve(name)
    assert found is not None, f"{name} is gone"
    wanted = parameters(signature)
    if wanted is None or inspect.ismodule(found):
        return
    own = inspect.signature(found.__init__ if inspect.isclass(found) else found).parameters
    if any(p.kind is p.VAR_KEYWORD for p in own.values()):
        return  # several generations in one: it binds them itself
    missing = [p for p in wanted if p not in own]
    assert not missing, f"{name} does not take {missing}"
    assert [p for p in own if p in wanted] == wanted
