"""How Sphinx builds the documents: `make docs` builds this folder in English and docs/zh in Chinese."""

import importlib.metadata
import inspect
import itertools
import re

project = "Refluid"
author = "the maintainers of Refluid"
version = release = importlib.metadata.version("refluid")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["zh"]
html_theme = "furo"
html_title = f"Refluid {release}"
html_show_copyright = False  # the licence is the notice
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["myst.xref_missing"]  # pages link to files of the repository, which have no page here
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "alphabetical"


def _without_what_lives_elsewhere(app, what, name, value, skip, options):
    """The reference lists what is ours; modules and what Python or numpy brought along are left out."""
    if inspect.ismodule(value):
        return True
    return skip or not (getattr(value, "__module__", None) or "").startswith("refluid")


_SECTIONS = {"Args:", "Attributes:", "Returns:", "Yields:", "Raises:", "Note:"}
_PROGRAM = ["", "    .. code-block:: python", ""]


def _as_restructured_text(app, what, name, value, options, lines):
    """Docstrings are plain text: markup of reStructuredText is escaped, examples and indented lines are programs."""
    text, section = [], None
    for line in lines:
        if line.strip() and not line.startswith(" "):
            if section == "program":
                text.append("")
            section = line.strip() if line.strip() in _SECTIONS else "list" if line.startswith("- ") else None
            text.append(line if section or line.startswith("Example") else _escaped(line))
            if line.startswith("Example"):
                section = "program"
                text += _PROGRAM
        elif line.strip() and section is None:
            section = "program"
            text += [*_PROGRAM, f"    {line}"]
        else:
            text.append(f"    {line}" if section == "program" else _escaped(line))
    lines[:] = text


def _escaped(line):
    parts = line.replace("\\", "\\\\").split("`")
    plain = [re.sub(r"[*|]|_\b", r"\\\g<0>", part) for part in parts[::2]]
    code = [f"``{part}``" if part else "``" for part in parts[1::2]]
    return "".join(itertools.chain.from_iterable(itertools.zip_longest(plain, code, fillvalue="")))


def setup(app):
    app.connect("autodoc-process-docstring", _as_restructured_text, priority=100)  # before Napoleon reads sections
    app.connect("autodoc-skip-member", _without_what_lives_elsewhere)
