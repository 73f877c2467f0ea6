"""ops/index.py says which file defines an operator, so that operators can be loaded when a program names them."""

import subprocess
import sys
from pathlib import Path

import pytest

from refluid.ops import index

ROOT = Path(__file__).parent.parent.parent


def test_the_index_has_every_operator():
    # In a process of its own: other tests of this one define operators, and ask for gradients that are derived then.
    code = "from tools import list_operators; print(list_operators.text(), end='')"
    listed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT).stdout
    assert Path(index.__file__).read_text() == listed, "run tools/list_operators.py"


@pytest.mark.parametrize("op_type", ["relu", "relu_grad", "while", "c_allreduce_sum", "send", "save_combine", "read"])
def test_an_operator_is_found_when_a_program_names_it(op_type):
    code = f"""
import sys
from refluid.ops import registry
from refluid.ops.index import FILE_OF
assert FILE_OF[{op_type!r}] not in sys.modules
print(registry.get({op_type!r}).type)
"""
    assert (
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
        == f"{op_type}\n"
    )


def test_passes_of_several_processes_come_with_their_operators():
    code = """
from refluid.executor import passes
from refluid.ops import registry
assert not passes.of_other_folders
registry.get("c_allreduce_sum")
print(sorted(one.__name__ for one in passes.of_other_folders))
"""
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert found == "['exchange_in_buckets', 'fetch_together', 'keep_tables', 'share_statistics']\n"
