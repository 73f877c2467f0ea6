"""Every test starts with fresh programs, names and scope, a seed of its own, and the environment of the first."""

import os

import numpy as np
import pytest

import refluid.ir  # noqa: F401  (makes recording the current mode)
from refluid.core import random, unique_name, warn
from refluid.executor import passes
from refluid.executor.pointwise import run
from refluid.ir.program import Program, program_guard
from refluid.tensor.scope import Scope, scope_guard

# `verify` runs after every pass, in the processes that tests start too.
os.environ["REFLUID_VERIFY_PLANS"] = "1"
passes.checked = True
# Small programs have runs of pointwise operators, too.
run.ENOUGH = 0


@pytest.fixture(autouse=True)
def fresh_world():
    np.random.seed(0)
    random.manual_seed(0)
    warn.reset()
    environment = {**os.environ}
    with unique_name.guard(), program_guard(Program(), Program()), scope_guard(Scope()):
        yield
    for name in {*os.environ, *environment} - {"PYTEST_CURRENT_TEST"}:  # programs of documents set CPU_NUM and others
        if name not in environment:
            del os.environ[name]
        elif os.environ.get(name) != environment[name]:
            os.environ[name] = environment[name]
