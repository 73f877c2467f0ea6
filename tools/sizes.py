"""Print the longest Python files of the project, so that growth is seen while it is cheap to undo."""

import pathlib
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "tests", "tools", "examples", "benchmarks")
AIM = {"median": 80, "p90": 300, "max": 600}


def main() -> None:
    sizes = sorted(
        (len(path.read_text(encoding="utf-8").splitlines()), path.relative_to(ROOT).as_posix())
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if path.stat().st_size
    )
    for lines, name in sizes[:-21:-1]:
        print(f"{lines:6}  {name}")
    own = [lines for lines, name in sizes if name.startswith("src/")]
    if len(own) > 1:
        got = {"median": statistics.median(own), "p90": statistics.quantiles(own, n=10)[-1], "max": max(own)}
        print(f"\nsrc: {len(own)} files, {sum(own)} lines")
        print("\n".join(f"  {key:6} {got[key]:6.0f}  (aim {AIM[key]})" for key in AIM))


if __name__ == "__main__":
    main()
