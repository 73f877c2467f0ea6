"""Where the recordings of Fluid 1.8.5 are, and the programs that they were recorded from."""

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def recorded(path: str) -> Any:
    """One file of tests/fixtures."""
    return json.loads((ROOT / "tests" / "fixtures" / path).read_text())


def source(name: str) -> ModuleType:
    """A module of tools/oracle: plain Fluid code, which imports its neighbours by their bare names."""
    folder = str(ROOT / "tools" / "oracle")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(name)
