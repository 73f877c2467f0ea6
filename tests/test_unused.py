"""Every definition of the engine is used somewhere: dead code does not stay."""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
ENGINE = ROOT / "src" / "refluid"
FOLDERS = ("src", "tests", "tools", "benchmarks", "examples")
# Definitions that nothing mentions, by reason.
ALLOWED = {
    "Fluid's own, for programs that call them": """
        data/feeder.py:_get_number_of_places_ distributed/data_generator.py:_set_line_limit
        distributed/trainers.py:_create_device_worker distributed/trainers.py:_set_fetch_var_and_info
        distributed/trainers.py:_set_thread distributed/trainers.py:_gen_trainer_desc
        distributed/trainers.py:_create_trainer ir/members.py:_blocks_attr ir/op_maker.py:kOpRoleAttrName
        ir/op_maker.py:kOpRoleVarAttrName ir/op_maker.py:kOpNameScopeAttrName
        ir/op_maker.py:kOpCreationCallstackAttrName ir/op_maker.py:kOpDeviceAttrName tensor/elements.py:_alloc_double
        tensor/elements.py:_set_layout tensor/lod_tensor.py:_get_dims ir/program.py:_backward_role_guard
    """,
    "called by Python": "eager/base.py:_recreate_cm",
    "importing the module is what does it": "compat_applied.py:ADDED",
}


def definitions(tree: ast.Module) -> list[ast.FunctionDef | ast.ClassDef | ast.Name]:
    """Module-level names and private methods; what is decorated is registered with its decorator."""
    found: list = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list:
            found.append(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
        if isinstance(node, ast.ClassDef):
            found += [
                one for one in node.body
                if isinstance(one, ast.FunctionDef) and re.fullmatch(r"_[a-z]\w*", one.name) and not one.decorator_list
            ]  # fmt: skip
    return found


def name_of(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.name


def words(path: Path) -> Counter[str]:
    return Counter(re.findall(r"\w+", re.sub(r"__all__ = \[[^]]*\]", "", path.read_text())))


def test_every_definition_is_used():
    """In its own file, or in one that names the module too; tests count, since some of Fluid's names are for them."""
    texts = {path: words(path) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
    places: dict[str, list[Path]] = {}
    for path, found in texts.items():
        for word in found:
            places.setdefault(word, []).append(path)
    public = set(words(ROOT / "tests" / "facade" / "names-1.8.5.txt"))
    allowed = {where for listed in ALLOWED.values() for where in listed.split()}
    unused = []
    for path in sorted(ENGINE.rglob("*.py")):
        named = [(name_of(node), node.lineno) for node in definitions(ast.parse(path.read_text()))]
        written = Counter(name for name, _ in named)
        module = path.parent.name if path.stem == "__init__" else path.stem
        for name, line in named:
            used = texts[path][name] > written[name] or any(
                name.startswith("_") or module in texts[other] for other in places[name] if other != path
            )
            where = f"{path.relative_to(ENGINE)}:{name}"
            if not used and not name.startswith("__") and name not in public and where not in allowed:
                unused.append(f"{where} (line {line})")
    assert not unused, f"nothing uses {unused}"
