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
    inspect.add_argument("--graph", metavar="FILE.svg", help="draw the operators and how they are connected")
    inspect.set_defaults(run=_inspect)
    export = commands.add_parser("export", help="write a saved model for other systems")
    export.add_argument("folder", metavar="MODEL_DIR")
    export.add_argument("--to", choices=("onnx", "torch", "cpp"), required=True)
    export.add_argument(
        "-o", "--output", metavar="OUT", help="the file to write; beside the folder (cpp: in it) by default"
    )
    export.add_argument("--model", metavar="FILE", help="the file of the program in the folder; __model__ by default")
    export.add_argument("--params", metavar="FILE", help="the file of all parameters in the folder, if there is one")
    export.add_argument("--torchscript", action="store_true", help="with --to cpp: TorchScript, not compiled code")
    export.set_defaults(run=_export)
    options = parser.parse_args(arguments)
    if options.command == "export" and options.torchscript and options.to != "cpp":
        export.error(f"--torchscript requires --to cpp, got --to {options.to}")
    if options.command == "inspect" and options.graph is not None and not options.graph.endswith(".svg"):
        inspect.error(f"--graph draws SVG: the file must end in .svg, got {options.graph!r}")
    try:
        return options.run(options)
    except (EnforceNotMet, OSError) as error:
        if isinstance(error, EnforceNotMet):
            error.site = None  # what is wrong is in the command, not in the program that called it
        print(error, file=sys.stderr)
        return 1


# The imports below bring torch, which --help need not wait for.


def _inspect(options: argparse.Namespace) -> int:
    from refluid.saving.describe import describe

    description = describe(options.folder, options.model)
    print(description.text())
    if options.graph is not None:
        from refluid.export.drawing.draw import draw

        draw(options.folder, options.model, options.graph)
    return 2 if description.unsupported else 0


def _export(options: argparse.Namespace) -> int:
    from refluid.export.command import export

    for path in export(options.folder, options.to, options.output, options.model, options.params, options.torchscript):
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
