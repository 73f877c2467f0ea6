import pytest

import paddle.fluid as fluid


@pytest.fixture(autouse=True)
def fresh_scope():
    with fluid.scope_guard(fluid.Scope()):
        yield
