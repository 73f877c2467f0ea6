"""python -m refluid export: a saved model in, files of another system out."""

from __future__ import annotations

import os

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.export.model import read

TARGETS = ("onnx", "torch", "cpp")


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
    if target == "cpp":
        return _to_cpp(folder, output, model_filename, params_filename, torchscript)
    if target == "onnx":
        return _to_onnx(folder, output or _beside(folder, ".onnx"), model_filename, params_filename)
    return _to_torch(folder, output or _beside(folder, ".py"), model_filename, params_filename)


def _to_cpp(
    folder: str, path: str | None, model_filename: str | None, params_filename: str | None, torchscript: bool
) -> list[str]:  # fmt: skip
    try:
        from refluid.export.to_cpp.write import write
    except ModuleNotFoundError as error:
        raise _missing(error, "export") from None
    return [write(read(folder, model_filename, params_filename), path, torchscript)]


def _to_onnx(folder: str, path: str, model_filename: str | None, params_filename: str | None) -> list[str]:
    try:
        from refluid.export.to_onnx.write import write
    except ModuleNotFoundError as error:
        raise _missing(error, "onnx") from None
    write(read(folder, model_filename, params_filename), path)
    return [path]


def _to_torch(folder: str, path: str, model_filename: str | None, params_filename: str | None) -> list[str]:
    try:
        from refluid.export.to_torch.write import write
    except ModuleNotFoundError as error:
        raise _missing(error, "export") from None
    return write(read(folder, model_filename, params_filename), path)


def _missing(error: ModuleNotFoundError, extra: str) -> Exception:
    if error.name is not None and error.name.split(".")[0] == "refluid":
        return error  # a fault of ours
    return NotFoundError(f"export: the package {error.name!r} is not installed; pip install 'refluid[{extra}]'")


def _beside(folder: str, ending: str) -> str:
    return os.path.abspath(folder) + ending
