"""python -m refluid: work on saved models from the command line."""

from __future__ import annotations

import argparse
import sys

from refluid.core.errors import EnforceNotMet


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m refluid", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    inspect = commands.add_parser("inspect", help="print what a saved model holds and whether it can run here")
    inspect.add_argument("folder", metavar="MODEL_DIR")
    inspect.add_argument("--model", metavar="FILE", help="the file of the program in the folder; __model__ by default")
    options = parser.parse_args(arguments)
    try:
        return _inspect(options)
    except (EnforceNotMet, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def _inspect(options: argparse.Namespace) -> int:
    from refluid.saving.describe import describe  # imports torch, which --help need not wait for

    found = describe(options.folder, options.model)
    print(found.text())
    return 2 if found.unsupported else 0


if __name__ == "__main__":
    sys.exit(main())
