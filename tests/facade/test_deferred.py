"""Names of paddle that are loaded when somebody asks for them: one import is cheap, and nothing is missing."""

import importlib
import pydoc
import subprocess
import sys
import types
from pathlib import Path

import pytest
from tools import list_deferred_names

from refluid import deferred, deferred_names


def run(code: str) -> str:
    """What a new process prints, where nothing is loaded yet."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_the_table_is_what_the_packages_import():
    written = Path(deferred_names.__file__).read_text()
    assert written == list_deferred_names.text(), "run tools/list_deferred_names.py"


def test_an_import_leaves_what_few_programs_use_alone():
    # What torch loads itself is not counted.
    heavy = ("refluid.distributed", "refluid.hapi", "refluid.contrib", "refluid.jit", "refluid.saving", "refluid.nn",
             "refluid.layers.rnn", "grpc", "lmdb", "onnx", "matplotlib", "sympy", "torch._dynamo")  # fmt: skip
    found = run(f"""
import sys, torch
before = set(sys.modules)
import paddle, paddle.fluid
print([name for name in {heavy!r} if name in set(sys.modules) - before])
""")
    assert found == "[]\n"


@pytest.mark.parametrize("module", deferred_names.BY_MODULE)
def test_every_name_is_shown_and_found(module):
    package = importlib.import_module(module)
    for name, where in deferred.names(module).items():
        value = getattr(package, name)
        assert name in dir(package) and vars(package)[name] is value
        assert isinstance(value, types.ModuleType) or ":" in where


def test_every_way_to_a_name_works_in_a_new_process():
    found = run("""
import pickle
import paddle.fluid as fluid
from paddle.fluid import Executor, layers
from paddle.fluid.layers import fc
from paddle.fluid.dygraph import Linear as First
import paddle.fluid.dygraph.nn as nn
print("fc" in dir(layers), "contrib" in dir(fluid), layers.fc is fc is fluid.layers.nn.fc, First is nn.Linear)
print(callable(fluid.data), callable(layers.rnn), fluid.layers.__name__, pickle.loads(pickle.dumps(fc)) is fc)
""")
    assert found == "True True True True\nTrue True paddle.fluid.layers True\n"


def test_a_star_brings_names_that_were_not_loaded():
    assert run("from paddle.fluid.layers import *\nprint(callable(fc), 'nn' in dir())") == "True False\n"
    assert (
        run("from paddle.fluid import *\nprint(Executor.__name__, layers.__name__)") == "Executor paddle.fluid.layers\n"
    )


def test_help_shows_them():
    assert "class Executor" in pydoc.plain(pydoc.render_doc("paddle.fluid"))
