"""A model as a package for C++: compiled by AOTInductor or, where that cannot be, TorchScript.

Note [Packages]
A package is one archive, `.pt2`, in either form: the model and the record `extra/refluid.txt`, which names inputs and
outputs. It stands beside the program that it was made of and has its name, `__model__.pt2`, so that a C++ program which
names the folder, or the program's file, finds it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch

from refluid.core.errors import ArgumentError
from refluid.export.mapping import ExportError
from refluid.export.model import Model
from refluid.export.to_cpp.indices import check_indices
from refluid.export.to_cpp.module import Loaded, describe, load
from refluid.export.to_cpp.network import network_of
from refluid.native.build import compiler
from refluid.saving.files import replacing

RECORD = "refluid.txt"

# Weights are packed for the kernels ahead of time, and a program decides about threads when it runs.
_OPTIONS = {"freezing": True, "cpp.dynamic_threads": True, "compile_threads": 1}


class _CannotCompile(Exception):
    """Why there is no compiled form."""


def write(
    model: Model,
    path: str | None = None,
    torchscript: bool = False,
    aside: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> list[str]:
    """Write the package of a model, beside its program unless `path` says where; returns [its path].

    `aside` is entered while something is printed: a progress bar makes room.
    """
    path = path or model.path + ".pt2"
    if not path.endswith(".pt2"):
        raise ArgumentError(f"export --to cpp writes a package: OUT must end in .pt2, got {path!r}")
    if os.path.isdir(path):
        raise ArgumentError(f"export --to cpp: OUT must be a file, but {path!r} is a folder")
    with tempfile.TemporaryDirectory() as folder:
        loaded = load(model, folder)
        written = os.path.join(folder, "package.pt2")
        with replacing(path) as file:  # a folder that cannot be written is told before a minute of compiling
            if torchscript:
                _script(model, loaded, written)
            else:
                try:
                    _compile(loaded, written)
                except _CannotCompile as why:
                    with aside():
                        print(f"export: {why}; TorchScript is written instead, which runs slower", file=sys.stderr)
                    _script(model, loaded, written)
            _add_network(model, written)
            with open(written, "rb") as package:
                shutil.copyfileobj(package, file)
    return [path]


def _compile(loaded: Loaded, path: str) -> None:
    command = compiler()
    if command is None or shutil.which(command.split()[0]) is None:
        raise _CannotCompile(f"AOTInductor needs a C++ compiler, and {command or 'g++'} is not here")
    from torch._inductor.cpu_vec_isa import pick_vec_isa
    from torch._inductor.exc import InductorError

    dynamic = tuple(dict.fromkeys(axes, torch.export.Dim.DYNAMIC) for axes in loaded.open_axes)
    with _quiet(), torch.no_grad():
        try:
            program = torch.export.export(loaded.module, loaded.examples, dynamic_shapes=dynamic, strict=False)
        except Exception as error:  # of many kinds: what cannot be traced fails anywhere in it
            raise _CannotCompile(f"torch.export cannot follow this model ({_reason(error)})") from error
        check_indices(program, loaded.lengths, loaded.names)
        try:
            torch._inductor.aoti_compile_and_package(program, package_path=path, inductor_configs=dict(_OPTIONS))
        except (InductorError, RuntimeError, AssertionError, NotImplementedError) as error:
            raise _CannotCompile(f"AOTInductor cannot compile this model ({_reason(error)})") from error
        isa = str(pick_vec_isa())
    with zipfile.ZipFile(path, "a") as archive:
        root = archive.namelist()[0].split("/")[0]
        archive.writestr(f"{root}/extra/{RECORD}", describe(loaded, "aotinductor", isa))


def _script(model: Model, loaded: Loaded, path: str) -> None:
    with _quiet():
        try:
            scripted = torch.jit.freeze(torch.jit.script(loaded.module))
        except Exception as error:
            reason = _reason(error)
            raise ExportError(f"{model.path} cannot be exported to C++: TorchScript refuses it ({reason})") from error
        scripted.save(path, _extra_files={RECORD: describe(loaded, "torchscript", "")})


def _add_network(model: Model, path: str) -> None:
    """Convolutional networks also go as their layers, which the library's own kernel computes faster."""
    network = network_of(model)
    if network is not None:
        with zipfile.ZipFile(path, "a") as archive:
            root = archive.namelist()[0].split("/")[0]
            archive.writestr(f"{root}/extra/network.txt", network.text)
            archive.writestr(f"{root}/extra/network.bin", network.numbers)


@contextmanager
def _quiet() -> Iterator[None]:
    """Warnings of torch's compilers are about their own code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _reason(error: Exception) -> str:
    """The first line that says something."""
    lines = (line.strip().rstrip(".:") for line in str(error).splitlines())
    return f"{type(error).__name__}: {next((line for line in lines if line), 'no reason given')[:200]}"
