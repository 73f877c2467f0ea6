"""python -m refluid export: a saved model in, files of another system out."""

from __future__ import annotations

import os

from refluid.core.errors import NotFoundError
from refluid.export.model import read


def export(
    folder: str, target: str, output: str | None = None, model_filename: str | None = None,
    params_filename: str | None = None,
) -> list[str]:  # fmt: skip
    """Export the model in a folder to "onnx" or "torch"; returns the paths of the files written.

    Args:
        output: the file to write; the folder's name with `.onnx` or `.py`, beside it, by default.
        model_filename, params_filename: files in the folder, where they do not have their usual names.
    """
    if target == "onnx":
        return _to_onnx(folder, output or _beside(folder, ".onnx"), model_filename, params_filename)
    return _to_torch(folder, output or _beside(folder, ".py"), model_filename, params_filename)


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
