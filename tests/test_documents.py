"""The programs in the documents run as they stand, and the Chinese pages hold the same programs as the English ones."""

from __future__ import annotations

import html
import importlib
import inspect
import itertools
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.distributed.ranks import PATIENT, TIMEOUT

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
FENCE = re.compile(
    r"^```(\{code-block\} python\n:caption: (?P<file>\S+)\n|(?P<kind>\w*)\n)(?P<text>.*?)^```$", re.S | re.M
)

# Pages whose programs each stand alone; in a tutorial they go on from one another.
SEPARATE = ["README.md", "docs/generations.md", "docs/old_programs.md", "docs/slim.md"]
PROGRAMS = [
    (name, block["text"])
    for name in SEPARATE
    for block in FENCE.finditer((ROOT / name).read_text())
    if block["kind"] == "python"
]
TUTORIALS = sorted(page for folder in ("tutorials", "migration") for page in (DOCS / folder).glob("*.md"))
# Pages with what their programs print, as the block behind each; the programs go on from one another.
PRINTING = ["program_to_function", "scaling"]
GUIDES = sorted(page for page in DOCS.glob("*.md") if page.stem not in ("architecture", "index"))
CHINESE = sorted((DOCS / "zh").rglob("*.md"))


@pytest.mark.parametrize("name, program", PROGRAMS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(PROGRAMS)])
def test_a_program_of_a_document(name, program, capsys):
    exec(compile(program, name, "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("page", [*TUTORIALS, DOCS / "export.md"], ids=lambda page: page.stem)
def test_a_tutorial_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    """Its programs go on from one another, those with a caption become files, and commands run among them.

    A program in C++ is the file that the commands behind it compile, where a compiler is at hand.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    environment = {**os.environ, **PATIENT, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    names = {"__name__": "__main__"}
    for block in FENCE.finditer(page.read_text()):
        if block["file"]:
            Path(block["file"]).write_text(block["text"].lstrip("\n"))
        elif block["kind"] == "python":
            exec(compile(block["text"], str(page), "exec"), names)
        elif block["kind"] == "cpp":
            Path("predict.cc").write_text(block["text"])
        elif block["kind"] == "console" and (
            "g++" not in block["text"] or (shutil.which("g++") and shutil.which("cmake"))
        ):
            script = "set -e\n" + "\n".join(re.findall(r"^\$ (.*)$", block["text"], re.M)) + "\nwait\n"
            ran = subprocess.run(
                ["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=TIMEOUT
            )
            assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("name", PRINTING)
def test_programs_of_a_document_print_what_it_shows(name, capsys):
    blocks = list(FENCE.finditer((DOCS / f"{name}.md").read_text()))
    names = {"__name__": "__main__"}
    for block, shown in itertools.pairwise(blocks):
        if block["kind"] == "python":
            exec(compile(block["text"], "train.py", "exec"), names)
            assert capsys.readouterr().out.strip() == shown["text"].strip()


@pytest.mark.parametrize("page", CHINESE, ids=lambda page: page.stem)
def test_a_chinese_page_holds_the_programs_of_its_english_twin(page):
    twin = DOCS / page.relative_to(DOCS / "zh")
    here, there = ([block.group(0) for block in FENCE.finditer(path.read_text())] for path in (page, twin))
    assert here == there or page.name == "index.md"  # indices list their own pages


def test_every_tutorial_and_guide_has_a_chinese_twin_with_as_many_headings_points_and_rows():
    twins = {page.relative_to(DOCS / "zh") for page in CHINESE}
    pages = {page.relative_to(DOCS) for page in (*TUTORIALS, *GUIDES)}
    assert pages | {Path("index.md")} == twins
    for page in sorted(pages):
        assert outline(DOCS / page) == outline(DOCS / "zh" / page), page


def outline(path: Path) -> list[str]:
    """The first two characters of headings, points of lists and rows of tables."""
    return [line[:2] for line in FENCE.sub("", path.read_text()).splitlines() if re.match(r"#|- |\|", line)]


def test_links_of_the_documents_lead_to_files():
    """Sphinx is silent about them, since pages link to files of the repository too."""
    for page in (ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")):
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", FENCE.sub("", page.read_text())):
            assert "://" in link or (page.parent / link).exists(), f"{page}: {link}"


def test_indices_list_every_page():
    for folder in (DOCS, DOCS / "zh"):
        listed = re.findall(r"^[a-z_0-9]+(?:/[a-z_0-9]+)?$", (folder / "index.md").read_text(), re.M)
        expected = [page.relative_to(DOCS).with_suffix("") for page in (*TUTORIALS, *GUIDES)]
        assert {str(page) for page in expected} <= set(listed)


def test_the_chinese_readme_keeps_step():
    """The same programs and commands, as many headings, rows and points, and links to the same places."""
    texts = [(ROOT / name).read_text() for name in ("README.md", "README.zh.md")]
    blocks = [[block.group(0) for block in FENCE.finditer(text)] for text in texts]
    shapes = [outline(ROOT / name) for name in ("README.md", "README.zh.md")]
    links = [sorted(set(re.findall(r"\]\((?!README)([^)]+)\)", text))) for text in texts]
    assert blocks[0] == blocks[1] and shapes[0] == shapes[1] and links[0] == links[1]


def test_the_error_of_the_document(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    program, _, printed = (ROOT / "docs" / "errors.md").read_text().split("```")[1:4]
    script = tmp_path / "train.py"
    script.write_text(program.removeprefix("python\n"))
    runpy.run_path(str(script))
    assert capsys.readouterr().out.strip() == printed.strip()


def test_the_site_builds_without_a_warning(tmp_path):
    """Both languages, as `make docs` builds them; no link leads nowhere, and the reference has every public name."""
    for source, language, folder in ((DOCS, "en", "en"), (DOCS / "zh", "zh_CN", "zh")):
        command = [
            sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", DOCS,
            "-D", f"language={language}", source, tmp_path / folder,
        ]  # fmt: skip
        ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
        assert ran.returncode == 0, ran.stderr
    pages = {page.resolve(): page.read_text() for page in tmp_path.rglob("*.html")}
    assert {tmp_path / folder / "tutorials" / "digits.html" for folder in ("en", "zh")} <= set(pages)
    anchors = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    assert not [(page.name, link) for page, link in _links(pages) if not _leads_somewhere(page, link, anchors)]
    for page in sorted((DOCS / "reference").glob("*.rst")):
        _holds_every_public_name(page.read_text(), pages[tmp_path / "en" / "reference" / f"{page.stem}.html"])


def _links(pages: dict[Path, str]) -> list[tuple[Path, str]]:
    found = ((page, html.unescape(link)) for page in pages for link in re.findall(r'(?:href|src)="(.+?)"', pages[page]))
    return [(page, link) for page, link in found if not re.match(r"\w+:", link)]


def _leads_somewhere(page: Path, link: str, anchors: dict[Path, set[str]]) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path.split("?")[0]).resolve() if path else page
    return target.exists() and (not anchor or target not in anchors or anchor in anchors[target])


def _holds_every_public_name(source: str, page: str) -> None:
    for name in re.findall(r"automodule:: (\S+)", source):
        module = importlib.import_module(name)
        public = {one for one in getattr(module, "__all__", None) or dir(module) if not one.startswith("_")}
        ours = {one for one in public if _is_documented(getattr(module, one))}
        told = set(
            re.findall(rf'pre">{re.escape(name)}\.</span></span><span class="sig-name descname"><.+?>(\w+)', page)
        )
        assert ours and ours <= told, (name, ours - told)


def _is_documented(value: object) -> bool:
    """A class or function of ours; not an object like `fleet`, nor what a module has imported from elsewhere."""
    return inspect.isclass(value) | callable(value) and (getattr(value, "__module__", None) or "").startswith("refluid")


def test_the_reference_has_a_page_for_every_module_of_fluid():
    """Every module of paddle.fluid whose functions users call; other pages have 2.0-alpha's and ours."""
    listed = set(
        re.findall(r"automodule:: (\S+)", "".join(page.read_text() for page in (DOCS / "reference").glob("*")))
    )
    fluid = {
        "backward", "clip", "contrib", "data_feeder", "dataset", "dygraph", "evaluator", "initializer", "io", "layers",
        "lod_tensor", "metrics", "nets", "optimizer", "param_attr", "profiler", "regularizer", "transpiler",
        "unique_name",
    }  # fmt: skip
    assert {f"paddle.fluid.{name}" for name in fluid} <= listed
    index = (DOCS / "index.md").read_text()
    assert all(f"\nreference/{page.stem}\n" in index for page in (DOCS / "reference").glob("*.rst"))
