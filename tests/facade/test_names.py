"""Every module of 1.8.5's package can be imported, and has the names that programs can import from it.

names-1.8.5.txt lists them (tools/oracle/record_names.py writes it); names_left_out.py those that do not exist here.
"""

import importlib
import inspect
import sys
import types
from pathlib import Path

import pytest
from tests.facade.names_left_out import LEFT_OUT, MODULES_NOT_YET, NAMES_NOT_YET, OF_ANOTHER_KIND

import refluid.incidental_names as incidental_names
from refluid import incidental

LIST = Path(__file__).with_name("names-1.8.5.txt")
# Packages that Fluid's own modules import and that need not be installed here: the names lead to them if they are.
NOT_REQUIRED = {"cv2", "gast", "astor", "nltk", "matplotlib", "scipy", "objgraph", "prettytable", "funcsigs", "yaml"}


def listed() -> dict[str, dict[str, str]]:
    """{module: {name: kind}}, where the kind is a plural, as in 'classes', or '' where the list does not tell."""
    found: dict[str, dict[str, str]] = {}
    for line in LIST.read_text().splitlines():
        if not line.startswith(" "):
            module = line
            found[module] = {}
            continue
        kind, _, names = line.strip().partition(": ")
        for entry in names.split():
            name, _, own = entry.partition("=")
            if (own or name).split(".")[0] in NOT_REQUIRED or kind[5:].split(".")[0] in NOT_REQUIRED:
                continue
            found[module][name] = "" if kind.startswith("from ") else kind
    return found


NAMES = listed()


def left_out(module: str) -> set[str]:
    return {name for names in LEFT_OUT.get(module, {}).values() for name in names.split()}


def checked(module: str) -> bool:
    """Whether the module is to exist now."""
    later = any(module == prefix or module.startswith(f"{prefix}.") for prefix in MODULES_NOT_YET)
    return not later and "*" not in left_out(module)


def fits(value: object, kind: str) -> bool:
    """Whether a value is what the list says; what is called may be a class or a function where nobody inherits."""
    if kind in ("modules", "classes"):
        return isinstance(value, types.ModuleType if kind == "modules" else type)
    return callable(value) and not inspect.isclass(value) if kind == "functions" else True


def modules_within(package: types.ModuleType) -> list[str]:
    """The loaded modules of a package that are attributes of it."""
    return [n for n, v in vars(package).items() if v is sys.modules.get(f"{package.__name__}.{n}", package)]


@pytest.mark.parametrize("module", [name for name in NAMES if checked(name)])
def test_the_module_has_the_names_that_1_8_5_has(module, monkeypatch):
    found = importlib.import_module(module)
    for name in modules_within(found) if "__getattr__" in vars(found) else ():
        monkeypatch.delattr(found, name)  # they are there although nobody has imported them
    wanted = {n: k for n, k in NAMES[module].items() if n not in left_out(module) | set(not_yet(module))}
    missing = [name for name in wanted if not hasattr(found, name)]
    assert not missing, f"{module} has no {' '.join(missing)}"
    other = OF_ANOTHER_KIND.get(module, "").split()
    wrong = [f"{n} ({k})" for n, k in wanted.items() if n not in other and not fits(getattr(found, n), k)]
    assert not wrong, f"{module} has names that are something else: {', '.join(wrong)}"


def not_yet(module: str) -> list[str]:
    return NAMES_NOT_YET.get(module, "").split()


@pytest.mark.parametrize("module", LEFT_OUT)
def test_what_is_listed_as_left_out_is_not_there(module):
    assert module in NAMES, f"1.8.5 has no {module}"
    if "*" in left_out(module):
        with pytest.raises(ImportError):
            importlib.import_module(module)
        return
    unknown = left_out(module) - set(NAMES[module])
    assert not unknown, f"{module} of 1.8.5 has no {unknown}"
    found = importlib.import_module(module)
    assert not [name for name in left_out(module) if hasattr(found, name)]


@pytest.mark.parametrize("module", incidental_names.BY_MODULE)
def test_incidental_names_are_what_is_at_their_place_and_no_star_brings_them(module):
    loaded = importlib.import_module(module)
    for name, where in incidental.names(module).items():
        if where.split(".")[0].split(":")[0] not in NOT_REQUIRED:
            assert getattr(loaded, name) is incidental.load(where)
            assert name not in vars(loaded) or where == f"{module}.{name}"  # a module of a package, once it is loaded


def test_a_name_that_nobody_has_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'paddle.fluid.layers' has no attribute 'convolve'"):
        importlib.import_module("paddle.fluid.layers").convolve
