"""Building and running programs imports neither torch's compiler nor sympy, which take seconds."""

import json
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[2]


def test_no_operator_imports_the_compiler_of_torch_when_it_is_built_or_run():
    words = [sys.executable, "-W", "ignore", "-m", "tests.ops.run_every_row"]
    done = subprocess.run(words, cwd=TOP, capture_output=True, text=True, timeout=600)
    assert not done.returncode, done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) == {}
