"""The folders show the architecture: who may import whom, and `paddle` holds names only."""

import ast
import re
from pathlib import Path

import pytest

import refluid.executor.blocks  # noqa: F401  (registers them)
from refluid.ops import registry

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src"
ORDER = (
    "core", "native", "tensor", "ops", "ir", "autodiff", "executor", "eager", "params", "layers", "nn", "optim", "data",
    "saving", "jit", "export", "metrics", "diagnostics", "contrib", "distributed", "hapi", "alpha",
)  # fmt: skip
# Modules of refluid itself, outside the folders.
FREE = {"compat", "compat_applied", "deferred", "deferred_names", "incidental", "incidental_names"}


def files(package: str) -> list[Path]:
    return sorted((SRC / package).rglob("*.py"))


def imported_folders(path: Path) -> set[str]:
    """The folders of refluid that a file imports from, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "refluid":
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("refluid.")}
    return found


@pytest.mark.parametrize("path", files("refluid"), ids=lambda p: str(p.relative_to(SRC)))
def test_a_folder_imports_only_from_folders_above_it(path):
    folder = path.relative_to(SRC / "refluid").parts[0]
    if folder not in ORDER:
        return
    allowed = set(ORDER[: ORDER.index(folder) + 1])
    assert imported_folders(path) - FREE <= allowed


def test_every_folder_of_the_engine_has_its_place_in_the_order():
    folders = {p.name for p in (SRC / "refluid").iterdir() if p.is_dir() and (p / "__init__.py").exists()}
    assert folders <= set(ORDER)


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_every_folder_of_the_engine_is_named_where_newcomers_read(document):
    named = set(re.findall(r"\w+", (SRC.parent / document).read_text()))
    folders = {path.relative_to(SRC / "refluid").parts[0] for path in (SRC / "refluid").glob("*/*") if path.is_file()}
    assert {"cpp", *ORDER} <= folders - {"__pycache__"} <= named


def test_importing_the_engine_touches_nothing_of_numpy_or_pillow():
    assert "compat" not in {
        name for path in files("refluid") if path.parent.name in ORDER for name in imported_folders(path)
    }


LINES_OF_PADDLE = {
    "__getattr__ = _names_of(__name__)",  # finds incidental names
    "__getattr__, __dir__ = _names_of(__name__)",  # and those that are loaded when somebody asks for them
    "import typing as _typing",
    "_pause = _CollectorPause()",
    "del _pause",
}


@pytest.mark.parametrize("path", files("paddle"), ids=lambda p: str(p.relative_to(SRC)))
def test_paddle_holds_names_only(path):
    """A docstring, imports, `__all__`, the version, and a few lines that are named: no logic."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if ast.unparse(node) in {ast.unparse(ast.parse(line)) for line in LINES_OF_PADDLE}:  # 3.10 writes brackets
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "_typing.TYPE_CHECKING":
            assert all(isinstance(one, ast.ImportFrom) for one in node.body)
            continue
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            assert names and set(names) <= {"__all__", "__version__"}, f"{path.name}:{node.lineno} assigns {names}"
            continue
        pytest.fail(f"{path.name}:{node.lineno} holds a {type(node).__name__}")


@pytest.mark.parametrize("path", files("paddle"), ids=lambda p: str(p.relative_to(SRC)))
def test_paddle_imports_from_refluid_and_itself_alone(path):
    for node in ast.walk(ast.parse(path.read_text())):
        modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if modules == ["typing"]:
            continue  # it says TYPE_CHECKING
        if isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        for module in modules:
            assert module.split(".")[0] in {"refluid", "paddle", "__future__"}, f"{path.name} imports {module}"


def test_operators_that_carry_a_block_are_named_where_they_are_defined_and_exported_alone():
    """Whoever else has to know one asks its definition: `control_flow` and the rules attached to it."""
    types = [name for name in registry.all_types() if registry.get(name).control_flow is not None]
    types += [f"{name}_grad" for name in types]
    assert {"while", "conditional_block", "recurrent"} <= set(types)
    quoted = re.compile(f"[\"']({'|'.join(types)})[\"']")
    paths = [path for path in files("refluid") if not path.is_relative_to(SRC / "refluid" / "layers")]
    naming = {str(path.relative_to(SRC / "refluid")) for path in paths if quoted.search(path.read_text())}
    assert naming == {"executor/blocks/definitions.py", "export/to_torch/blocks.py"}


VAGUE = {"one", "found", "made", "given", "at"}


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All of them, those inside of others too."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, kinds)]


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines without the signature and the docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return function.end_lineno - body[0].lineno + 1 if body else 0


def own_names(node: ast.AST) -> set[str]:
    """Parameters and locals of a function, without those of comprehensions and of what is defined inside it."""
    names: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.comprehension):
            names |= own_names(child.iter)
            continue
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(child, ast.arg):
            names.add(child.arg)
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            names.add(child.id)
        elif isinstance(child, ast.ExceptHandler) and child.name:
            names.add(child.name)
        names |= own_names(child)
    return names


def sources() -> list[Path]:
    """What people read of the project: the engine, the tools, the benchmarks and the examples."""
    return [
        path
        for folder in ("src/refluid", "tools", "benchmarks", "examples")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_locals_of_longer_functions_say_what_they_hold(path):
    longer = [function for function in functions(path) if length(function) > 5]
    vague = {f"{function.name}: {name}" for function in longer for name in own_names(function) & VAGUE}
    assert not vague, "see 'Words' in CONTRIBUTING.md"


def test_all_that_names_outputs_of_operators_is_in_one_file():
    homes = {
        path.relative_to(SRC).as_posix()
        for path in files("refluid")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name == "tmp"
    }
    assert homes == {"refluid/core/naming.py"}


def test_the_check_of_locals_looks_into_loops_handlers_and_inner_functions():
    body = "\n    ".join(["for one in []: pass", "with x as at: pass", "(found := 1)", "a = b = c = d = e = 0", "", ""])
    handler = "try: pass\n    except OSError as made: pass"
    inner = "def inner(given): return [one for one in given]"
    tree = ast.parse(f"def outer():\n    {body}{handler}\n    {inner}\n")
    assert own_names(tree.body[0]) & VAGUE == {"one", "at", "found", "made"}
