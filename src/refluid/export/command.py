"""python -m refluid export: a saved model in, files of another system out."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.core.progress import Progress
from refluid.export.model import Model, read

TARGETS = ("onnx", "torch", "cpp")
_SHOWN_AFTER = 1.0  # seconds: small models are written at once


def export(
    folder: str, target: str, output: str | None = None, model_filename: str | None = None,
    params_filename: str | None = None, torchscript: bool = False,
) -> list[str]:  # fmt: skip
    """Export the model in a folder to "onnx", "torch" or "cpp"; returns the paths of the files written.

    Args:
        output: the file to write; the folder's name with `.onnx` or `.py`, beside it, by default. A package for C++
            stands beside the program, in the folder.
        model_filename, params_filename: files in the folder, where they do not have their usual names.
        torchscript: do not compile the package for C++; TorchScript runs it.
    """
    if target not in TARGETS:
        raise ArgumentError(f"export: expected one of the targets {', '.join(TARGETS)}, got {target!r}")
    if torchscript and target != "cpp":
        raise ArgumentError(f"export: TorchScript is a form of packages for C++, not of {target!r}")
    if output == "":
        raise ArgumentError("export: expected the path of a file to write, got an empty OUT")
    if target == "onnx":
        output = output or _default_path(folder, ".onnx")
    elif target == "torch":
        output = output or _default_path(folder, ".py")
    with Progress(f"export --to {target}", 2, unit="stages", delay=_SHOWN_AFTER) as progress, progress.ticking():
        write = _writer(target, torchscript, progress)  # a missing package is told before the model is read
        progress.stage("reading the model")
        model = read(folder, model_filename, params_filename)
        progress.stage("writing" if target != "cpp" or torchscript else "compiling")
        return write(model, output)


def _writer(target: str, torchscript: bool, progress: Progress) -> Callable[[Model, Any], list[str]]:
    """What writes a model to a path and returns the paths of the files written."""
    try:
        if target == "onnx":
            from refluid.export.to_onnx.write import write as write_onnx

            return write_onnx
        if target == "torch":
            from refluid.export.to_torch.write import write as write_torch

            return write_torch
        from refluid.export.to_cpp.write import write as write_cpp

        return lambda model, path: write_cpp(model, path, torchscript, progress.aside)
    except ModuleNotFoundError as error:
        raise _missing(error, "onnx" if target == "onnx" else "export") from None


def _missing(error: ModuleNotFoundError, extra: str) -> Exception:
    if error.name is not None and error.name.split(".")[0] == "refluid":
        return error  # a fault of ours
    return NotFoundError(f"export: the package {error.name!r} is not installed; pip install 'refluid[{extra}]'")


def _default_path(folder: str, ending: str) -> str:
    return os.path.abspath(folder) + ending
