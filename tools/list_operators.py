"""Write src/refluid/ops/index.py: which file defines which operators.

    python tools/list_operators.py

All files of `refluid` that define operators are loaded. tests/ops/test_index.py says when to run it.
"""

import importlib
import re
import textwrap
from collections import defaultdict
from pathlib import Path

SRC = Path(__file__).parent.parent / "src"
TARGET = SRC / "refluid/ops/index.py"
HEADER = '''"""Which file defines which operators: written by tools/list_operators.py."""

FILES = {
'''
FOOTER = """}
FILE_OF = {op_type: module for module, op_types in FILES.items() for op_type in op_types.split()}
"""


def by_file() -> dict[str, list[str]]:
    """{module: types of the operators that it defines}."""
    library = sorted((SRC / "refluid/ops").rglob("*.py"))  # first: other folders ask for some by name while they load
    for path in library + sorted((SRC / "refluid").rglob("*.py")):
        defines = path in library or re.search(r"^@op\b", path.read_text(), re.MULTILINE)
        if path.stem not in ("__init__", "__main__") and defines:
            importlib.import_module(".".join(path.relative_to(SRC).with_suffix("").parts))
    registry = importlib.import_module("refluid.ops.registry")
    by_module = defaultdict(list)
    for op_type, definition in registry._registry.items():
        by_module[definition.kernel.__module__].append(op_type)
    return {module: sorted(by_module[module]) for module in sorted(by_module)}


def text() -> str:
    lines = []
    for module, types in by_file().items():
        listed = " ".join(types)
        if len(module) + len(listed) < 108:
            lines.append(f'    "{module}": "{listed}",\n')
            continue
        parts = textwrap.wrap(listed, 108, break_long_words=False, break_on_hyphens=False)
        joined = "".join(f'        "{part} "\n' for part in parts[:-1])
        lines.append(f'    "{module}": (\n{joined}        "{parts[-1]}"\n    ),\n')
    return HEADER + "".join(lines) + FOOTER


if __name__ == "__main__":
    TARGET.write_text(text())
