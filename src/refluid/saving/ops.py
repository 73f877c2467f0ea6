"""Operators of programs that speak with files, and those that mark the ends of an inference program."""

from __future__ import annotations

import os
from typing import IO, Any

import torch

from refluid.core.errors import ArgumentError, EnforceNotMet, NotFoundError
from refluid.ops.registry import LoD, Long, Tensor, op
from refluid.saving.files import replacing
from refluid.saving.tensor_file import RecordReader, write_value
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.selected_rows import SelectedRows


@op("Out", nograd="*", by_executor="feed")
def feed(X: Tensor, *, col: int = 0) -> Tensor:
    """Out is column `col` of what is fed. Plans do its work."""
    return X


@op("Out", nograd="*", by_executor="fetch")
def fetch(X: Tensor, *, col: int = 0) -> Tensor:
    """X becomes column `col` of what is fetched. Plans do its work."""
    return X


@op("", nograd="*", side_effect=True)
def save(
    X: Tensor, X_lod: LoD | None = None, *, file_path: str, overwrite: bool = True, save_as_fp16: bool = False
) -> None:
    """Write X to a file of its own."""
    _refuse_existing(file_path, overwrite)
    with replacing(file_path) as file:
        write_value(file, _value(X, X_lod, save_as_fp16))


@op("", nograd="*", side_effect=True)
def save_combine(
    X: list[Tensor], X_lod: list[LoD | None], *, file_path: str, overwrite: bool = True, save_as_fp16: bool = False
) -> None:
    """Write all of X to one file, in their order."""
    _refuse_existing(file_path, overwrite)
    with replacing(file_path) as file:
        for value, lod in zip(X, X_lod, strict=True):
            write_value(file, _value(value, lod, save_as_fp16))


@op("Out", nograd="*", tells_lod=True, side_effect=True)
def load(
    *, file_path: str, load_as_fp16: bool = False, seek: Long = -1, shape: list[Long] = [],  # noqa: B006  # not changed
    device: torch.device | None = None,
) -> Tensor:  # fmt: skip
    """Out is the tensor in a file; its rows from `seek` on, in `shape`, if seek is not negative."""
    with _opened(file_path) as file:
        tensor = RecordReader(file, file_path).tensor("Out")
    if seek >= 0:
        part = tensor.value().reshape(-1)[seek : seek + torch.Size(shape).numel()].reshape(shape)
        tensor = LoDTensor.of(part)
    return _for_program(tensor, load_as_fp16, device)


@op("Out", nograd="*", tells_lod=True, side_effect=True, duplicable="Out")
def load_combine(*, file_path: str, load_as_fp16: bool = False, device: torch.device | None = None) -> list[Tensor]:
    """Out are the tensors in a file, all of them, in their order."""
    tensors: list[Tensor] = []
    with _opened(file_path) as file:
        reader = RecordReader(file, file_path)
        while reader.left:
            tensors.append(_for_program(reader.tensor(f"number {len(tensors)}"), load_as_fp16, device))
    return tensors


@load.infer
@load_combine.infer
def _declared(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [None]  # the file is read when the program runs: shapes are as the program declares them


def _value(X: Tensor | SelectedRows, lod: LoD | None, as_fp16: bool) -> LoDTensor | SelectedRows:
    if isinstance(X, SelectedRows):
        return X
    return LoDTensor.of(X.half() if as_fp16 and X.is_floating_point() else X, lod)


def _for_program(found: LoDTensor, as_fp16: bool, device: torch.device | None) -> Tensor:
    t = found.value()
    made = (t.half() if as_fp16 and t.is_floating_point() else t).to(device)
    made.lod = found.lod_value  # type: ignore[attr-defined]
    return made


def _refuse_existing(path: str, overwrite: bool) -> None:
    if not path:
        raise ArgumentError("file_path is empty")
    if not overwrite and os.path.exists(path):
        raise EnforceNotMet(f"{path!r} exists, and overwrite is off")


def _opened(path: str) -> IO[bytes]:
    try:
        return open(path, "rb")
    except OSError as error:
        raise NotFoundError(f"there is no file {path!r} that can be read ({error.strerror})") from None
