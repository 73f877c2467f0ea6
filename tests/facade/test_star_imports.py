"""`from paddle.fluid.layers import *` and its like bring functions and classes, but no modules."""

import types

import pytest


@pytest.mark.parametrize("module", ["paddle.fluid.dygraph", "paddle.fluid.layers"])
def test_a_star_brings_no_modules(module):
    found: dict = {}
    exec(f"from {module} import *", found)
    del found["__builtins__"]
    assert len(found) > 50
    assert not [name for name, value in found.items() if isinstance(value, types.ModuleType)]
