"""The public names exist where Fluid had them, and take what Fluid's took: api.spec lists them, one a line.

`python tests/facade/test_signatures.py SPEC.json...` writes api.spec anew from lists of {name: signature}, with the
names that exist today; a name that is listed must never go away again.
"""

import ast
import importlib
import inspect
import json
import re
import sys
from pathlib import Path

import pytest

# Where generations disagree and the call does not tell, the later one stands.
LATER_STANDS = {"paddle.fluid.dygraph.FC.create_parameter"}
SPEC = Path(__file__).with_name("api.spec")


def resolve(name: str):
    """The object with this dotted name, or None."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part, None)
        return found
    return None


def parameters(signature: str) -> list[str] | None:
    """The names in '(a, b=1)'; None where the signature is not known."""
    inside = re.search(r"\((.*)\)", signature, re.S)
    if inside is None:
        return None
    try:
        arguments = ast.parse(f"def f({re.sub('<[^>]*>|VarType[.]', '', inside.group(1))}): pass").body[0].args
    except SyntaxError:
        return None
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args) if a.arg not in ("self", "cls")]


def lines() -> list[str]:
    return SPEC.read_text().splitlines() if SPEC.exists() else []


@pytest.mark.parametrize("line", lines(), ids=lambda line: line.split(" ")[0])
def test_name_exists_and_takes_what_fluids_takes(line):
    name, _, signature = line.partition(" ")
    found = resolve(name)
    assert found is not None, f"{name} is gone"
    wanted = parameters(signature)
    if wanted is None or not callable(found):
        return
    function = found.__init__ if inspect.isclass(found) else found
    latest = differs(function, wanted)
    if latest and all(differs(older, wanted) for _, older in getattr(function, "older", ())):
        raise AssertionError(f"{name} {latest}")


def differs(function, wanted: list[str]) -> str | None:
    """How the function's own parameters differ from those of Fluid's, or None."""
    try:
        own = inspect.signature(function).parameters
    except (ValueError, TypeError):
        return None
    if any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in own.values()):
        return None  # it hands its arguments on
    missing = [p for p in wanted if p not in own]
    if missing:
        return f"does not take {missing}"
    order = [p for p in own if p in wanted]
    return None if order == wanted else f"takes {order}, Fluid {wanted}"


def write(files: list[str]) -> None:
    known: dict[str, str] = {}
    for file in files:
        known |= json.loads(Path(file).read_text())
    kept = [
        f"{name} {' '.join(signature.split())}"
        for name, signature in sorted(known.items())
        if resolve(name) and name not in LATER_STANDS
    ]
    SPEC.write_text("\n".join(kept) + "\n")


if __name__ == "__main__":
    write(sys.argv[1:])
