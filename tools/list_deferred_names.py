"""Write src/refluid/deferred_names.py: the names of `paddle` that are loaded when somebody asks for them.

    python tools/list_deferred_names.py

They are read off the `if TYPE_CHECKING:` blocks of the packages. tests/facade/test_deferred.py says when to run it.
"""

import ast
import textwrap
from collections import defaultdict
from pathlib import Path

SRC = Path(__file__).parent.parent / "src"
TARGET = SRC / "refluid/deferred_names.py"
HEADER = '''"""What `refluid.deferred` finds: written by tools/list_deferred_names.py.

BY_MODULE has the names of each module by the module that they come from, with `name=other` where they have another name
there; those that a package has from itself are its modules.
"""

'''
# As in Fluid, `import *` gives no modules of these: they would replace the user's own `layers`, `nn` or `io`.
WITHOUT_MODULES = ("paddle.fluid.dygraph", "paddle.fluid.layers")


def block_of(path: Path) -> list[ast.stmt]:
    """The statements of a file's `if TYPE_CHECKING:`."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "_typing.TYPE_CHECKING":
            return node.body
    return []


def module_of(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(name: str) -> bool:
    path = SRC.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def listed() -> dict[str, dict[str, list[str]]]:
    """{module: {module that a name comes from: [name, or name=other]}}."""
    by_package: dict[str, dict[str, list[str]]] = {}
    for path in sorted((SRC / "paddle").rglob("*.py")):
        module = module_of(path)
        for statement in block_of(path):
            assert isinstance(statement, ast.ImportFrom), f"{path}:{statement.lineno}"
            names = by_package.setdefault(module, defaultdict(list))
            for alias in statement.names:
                name = alias.asname or alias.name
                if is_module(f"{module}.{name}") != (statement.module == module and alias.name == name):
                    raise SystemExit(f"{path}:{statement.lineno}: a module and another value are called {name}")
                names[statement.module].append(name if name == alias.name else f"{name}={alias.name}")
    return by_package


def entry(key: str, names: list[str]) -> str:
    text = " ".join(sorted(names))
    if len(key) + len(text) < 102:
        return f'        "{key}": "{text}",\n'
    # A text that fits into one line is one: the formatter would join its parts.
    lines = [text] if len(text) <= 106 else textwrap.wrap(text, 104, break_long_words=False, break_on_hyphens=False)
    joined = "".join(f'            "{line} "\n' for line in lines[:-1])
    return f'        "{key}": (\n{joined}            "{lines[-1]}"\n        ),\n'


def text() -> str:
    written = HEADER + "BY_MODULE = {\n"
    for module, sources in listed().items():
        written += f'    "{module}": {{\n' + "".join(entry(*one) for one in sorted(sources.items())) + "    },\n"
    return written + "}\nWITHOUT_MODULES = (" + ", ".join(f'"{name}"' for name in WITHOUT_MODULES) + ")\n"


if __name__ == "__main__":
    TARGET.write_text(text())
