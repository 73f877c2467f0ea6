"""Write src/refluid/incidental_names.py: names that Fluid's modules had imported for themselves.

    python tools/list_incidental_names.py

Listed are the names of tests/facade/names-1.8.5.txt that a module of 1.8.5 imported, that the module here does not
have, and that exist here at the place they came from.
"""

import collections
import contextlib
import functools
import importlib
import sys
import textwrap
from pathlib import Path

import refluid.incidental_names as table

table.BY_MODULE = {}  # what is listed today must not count as there

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "src/refluid/incidental_names.py"
# Where a name of Python 2 or of a private module is to be had today.
TODAY = {"imp": "importlib", "cv2.cv2": "cv2"}
# Names of a package's own modules that it finds when they are asked for: importing them would take long.
LATER = {"paddle.fluid.contrib": {"Compressor": "refluid.contrib.slim.core.compressor:Compressor"}}
HEADER = '''"""What `refluid.incidental` finds: written by tools/list_incidental_names.py.

SOURCES has names that mean the same in every module, by the place they come from; BY_MODULE the names of each module,
with `name=place` where one means something else there.
"""

'''


@functools.cache
def recorded() -> dict[str, list[tuple[str, list[str]]]]:
    """{module: [(line, names)]} of names-1.8.5.txt."""
    by_module: dict[str, list[tuple[str, list[str]]]] = {}
    module = ""
    for line in (ROOT / "tests/facade/names-1.8.5.txt").read_text().splitlines():
        if line.startswith(" "):
            kind, _, names = line.strip().partition(": ")
            by_module[module].append((kind, names.split()))
        else:
            module = line
            by_module[module] = []
    return by_module


def exists(place: str) -> bool:
    module, _, attribute = place.partition(":")
    try:
        loaded = importlib.import_module(module)
        return not attribute or hasattr(loaded, attribute)
    except ImportError:
        return module.split(".")[0] != "paddle" and not attribute  # a package that need not be installed


def defined_at(place: str) -> str:
    """The place that a name comes from, where a module of 1.8.5 has it from another."""
    module, _, attribute = place.partition(":")
    for kind, names in recorded().get(module, []):
        for entry in names:
            name, _, own = entry.partition("=")
            if attribute == name and kind == "modules":
                return own or name
            if attribute == name and kind.startswith("from ") and kind[5:] != module:
                return defined_at(f"{kind[5:]}:{own or name}")
    return place


def incidental() -> dict[str, dict[str, str]]:
    """{module: {name: place}} of what is to be listed."""
    by_module: dict[str, dict[str, str]] = collections.defaultdict(dict)
    for module, lines in recorded().items():
        try:
            here = {*dir(loaded := importlib.import_module(module)), *vars(loaded)}
        except ImportError:
            continue
        for kind, names in lines:
            if kind != "modules" and not kind.startswith("from "):
                continue
            if kind.startswith(f"from {module}.") and "__path__" in here:
                continue  # what a package takes from its modules is public: the facade imports it
            for entry in names:
                name, _, own = entry.partition("=")
                source = TODAY.get(own or name, own or name)
                place = source if kind == "modules" else defined_at(f"{kind[5:]}:{own or name}")
                if name in here:
                    continue
                if exists(place):
                    by_module[module][name] = place
                else:
                    print(f"{module}.{name}: there is no {place}", file=sys.stderr)
    for module, names in LATER.items():
        by_module[module].update(names)
    return by_module


def wrapped(key: str, entries: list[str]) -> str:
    text = " ".join(sorted(entries))
    if len(text) + len(key) < 108:
        return f'    "{key}": "{text}",\n'
    lines = textwrap.wrap(text, 108, break_long_words=False, break_on_hyphens=False)
    joined = "".join(f'        "{line} "\n' for line in lines[:-1])
    return f'    "{key}": (\n{joined}        "{lines[-1]}"\n    ),\n'


def main() -> None:
    by_module = incidental()
    places = collections.defaultdict(collections.Counter)
    for names in by_module.values():
        for name, place in names.items():
            places[name][place] += 1
    usual = {name: count.most_common(1)[0][0] for name, count in places.items()}
    sources = collections.defaultdict(list)
    for name, place in usual.items():
        module, _, attribute = place.partition(":")
        key, own = (module, attribute) if attribute else ("modules", module)
        sources[key].append(name if name == own else f"{name}={own}")
    text = HEADER + "SOURCES = {\n" + "".join(wrapped(*item) for item in sorted(sources.items())) + "}\n\n"
    text += "BY_MODULE = {\n"
    for module, names in sorted(by_module.items()):
        entries = [name if place == usual[name] else f"{name}={place}" for name, place in names.items()]
        text += wrapped(module, entries)
    TARGET.write_text(text + "}\n")
    print(f"{sum(map(len, by_module.values()))} names in {len(by_module)} modules")


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        importlib.import_module("paddle")
    main()
