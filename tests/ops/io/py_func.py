"""Refusals of py_func; test_py_func.py shows what it gives."""

from tests.ops.cases import rand, refuse

from refluid.ops.io.py_func import register

refuse(
    "py_func", X=[rand(2)], forward_callable_id=10**6, says="py_func: there is no Python function with number 1000000"
)
NOTHING = register(lambda x: None, 1)
refuse("py_func", X=[rand(2)], forward_callable_id=NOTHING, says="py_func: <lambda> must return 1 values, got 0")
