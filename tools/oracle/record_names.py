"""Record every module of Fluid's package and every name that programs can import from it.

    python record_names.py > tests/facade/names-1.8.5.txt

A module begins a paragraph; its lines are

    classes, functions, values   the names that it defines
    modules                      modules that it has imported (alias=module where the name is another)
    from X                       names that it has imported from X (alias=name likewise)

Left out are double underscores and private names that their own module alone uses. A test of the facade
compares this list with what exists here.
"""

import ast
import collections
import importlib
import inspect
import os
import pkgutil
import sys
import types
import warnings

PRIVATE_FILES = {"paddle.libs"}
COMPILED = "paddle.fluid.core_avx"  # programs import it as paddle.fluid.core


def package_modules():
    """{name: module} of all that can be imported."""
    import paddle

    packages = {"paddle": paddle}
    for entry in pkgutil.walk_packages(paddle.__path__, "paddle.", onerror=lambda name: None):
        if ".tests" in entry.name or entry.name in PRIVATE_FILES:
            continue
        try:
            packages[entry.name] = importlib.import_module(entry.name)
        except BaseException as error:  # modules that Python 3 cannot import, of which 1.8.5 has a few
            sys.stderr.write("%s: %r\n" % (entry.name, error))
    return packages


def source_tree(module):
    path = getattr(module, "__file__", None)
    if not path or not path.endswith(".py"):
        return None
    with open(path) as file:
        return ast.parse(file.read())


def imports(name, module, tree):
    """(module, names) of every import statement."""
    package = name if hasattr(module, "__path__") else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            yield ".".join(part for part in (base, node.module) if part), node.names
        elif isinstance(node, ast.Import):
            yield "", node.names


def imported_names(name, module, tree):
    """{name: (module, name there)} of what import statements bind in a module."""
    bound = {}
    for source, aliases in imports(name, module, tree):
        for alias in aliases:
            if alias.name == "*":
                bound.update({key: (source, key) for key in vars(importlib.import_module(source))})
            elif source:
                bound[alias.asname or alias.name] = (source, alias.name)
            else:
                bound[alias.asname or alias.name.split(".")[0]] = ("", "")
    return bound


def defined_names(tree):
    """The names of functions and classes in a source."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name for node in tree.body if isinstance(node, kinds)}


def names_used_elsewhere(modules, trees):
    """{module: names that other modules of the package take from it}."""
    used = collections.defaultdict(set)
    for name, tree in trees.items():
        for source, aliases in imports(name, modules[name], tree):
            used[source] |= {alias.name for alias in aliases}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                owner = vars(modules[name]).get(node.value.id)
                if isinstance(owner, types.ModuleType):
                    used[owner.__name__].add(node.attr)
    return used


def owners(modules, trees):
    """{id of an object: (module, name)} for what modules define themselves."""
    names = {id(value): ("paddle.fluid.core", key) for key, value in vars(modules[COMPILED]).items()}
    for name, module in modules.items():
        if name == "paddle.fluid.core":
            continue
        defined = defined_names(trees[name]) if name in trees else set(vars(module))
        for key in sorted(defined & set(vars(module))):
            names.setdefault(id(vars(module)[key]), (name, key))
    return names


def place(value, key, owned, imported):
    """(module, name) to import a value from."""
    if type(value).__name__ == "_Feature":
        return "__future__", key
    if id(value) in owned:
        return owned[id(value)]
    module = getattr(value, "__module__", None)
    if module and getattr(sys.modules.get(module), getattr(value, "__name__", ""), None) is value:
        return module.lstrip("_") if module in ("_io", "_functools") else module, value.__name__
    return imported if imported[0] else None


def described(name, module, trees, used, owned):
    """{line: names} of a module."""
    tree = trees.get(name)
    brought = imported_names(name, module, tree) if tree else {}
    lines = collections.defaultdict(list)
    for key, value in sorted(vars(module).items()):
        if key.startswith("__"):
            continue
        origin = place(value, key, owned, brought.get(key, ("", "")))
        if isinstance(value, types.ModuleType):
            known_as = "paddle.fluid.core" if value.__name__ == COMPILED else value.__name__
            lines["modules"].append(key if key == known_as else "%s=%s" % (key, known_as))
        elif key in brought and origin and origin[0] != name:
            lines["from " + origin[0]].append(key if key == origin[1] else "%s=%s" % (key, origin[1]))
        elif not key.startswith("_") or key in used[name]:
            lines[kind(value)].append(key)
    return lines


def kind(value):
    return "classes" if inspect.isclass(value) else "functions" if callable(value) else "values"


def main():
    warnings.simplefilter("ignore")
    modules = package_modules()
    trees = {name: source_tree(module) for name, module in modules.items()}
    trees = {name: tree for name, tree in trees.items() if tree is not None}
    used, owned = names_used_elsewhere(modules, trees), owners(modules, trees)
    for name in sorted(modules):
        print(name)
        for line, names in sorted(described(name, modules[name], trees, used, owned).items()):
            print("    %s: %s" % (line, " ".join(names)))


if __name__ == "__main__":
    os.environ.setdefault("GLOG_v", "0")
    main()
