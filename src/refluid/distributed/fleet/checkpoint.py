"""Numbered checkpoints of a training: parameters, optimizer state and the epoch, in the folders that Fluid makes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

from refluid.core.errors import NotFoundError
from refluid.saving.file_system import FS, LocalFS

PREFIX = "__paddle_fleet_checkpoint__"
PARAMETERS = "_paddle_fleet_param__"
STATUS = "fleet_train_status"


class TrainStatus:
    """The state of a training: the last complete epoch."""

    def __init__(self, epoch_no: int = -1):
        self._epoch_no = epoch_no

    def next(self) -> int:
        """The epoch to continue with."""
        return self._epoch_no + 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrainStatus) and self._epoch_no == other._epoch_no

    __hash__ = None  # type: ignore[assignment]  # it changes


def numbers(fs: FS, path: str) -> list[int]:
    """The numbers of the checkpoints."""
    parts = (name.split(".") for name in fs.list_dirs(path))
    return sorted(int(part[1]) for part in parts if len(part) == 2 and part[0] == PREFIX and part[1].isdigit())


def folder(path: str, number: int) -> str:
    return f"{path}/{PREFIX}.{number}"


def clean(fs: FS, path: str, keep: int) -> None:
    """Remove all but the newest `keep` (one at least)."""
    found = numbers(fs, path)
    for number in found:
        if number <= found[-1] - max(keep, 1):
            fs.delete(folder(path, number))  # nothing where another worker has removed it


def write(fs: FS, path: str, save: Callable[[str], object], status: TrainStatus, cache: str, worker: int = 0) -> None:
    """A new checkpoint: written to a temporary folder, then renamed, so that it is complete or absent.

    Where all workers call it and share the folder, each writes its own, and the first to finish is kept.
    """
    fs.mkdir(path)
    known = numbers(fs, path)
    target = folder(path, known[-1] + 1 if known else 0)
    temporary = f"{target}.{worker}.tmp" if worker else f"{target}.tmp"
    local = f"{cache}/{os.path.basename(temporary)}.saved_cache" if fs.need_upload_download() else temporary
    fs.delete(temporary)
    LocalFS().mkdir(local)
    save(local)
    with open(f"{local}/{STATUS}", "w") as file:
        json.dump({"epoch_no": status._epoch_no}, file)
    if fs.need_upload_download():
        fs.upload(local, temporary)
    _give_name(fs, temporary, target)


def _give_name(fs: FS, temporary: str, target: str) -> None:
    """Rename, unless another worker was faster."""
    if not fs.stat(target):
        try:
            return fs.mv(temporary, target)
        except OSError:  # it was faster by a moment: a folder with files in it cannot be replaced
            if not fs.stat(target):
                raise
    fs.delete(temporary)


def read(
    fs: FS, path: str, load: Callable[[str], object], trainer_id: int, cache: str, ignore_empty: bool
) -> TrainStatus | None:
    """The newest checkpoint; None if there is none and that is no error."""
    known = numbers(fs, path)
    if not known:
        if ignore_empty:
            return None
        raise NotFoundError(f"load_check_point: there is no checkpoint in {path!r}")
    source = local = folder(path, known[-1])
    if fs.need_upload_download():
        local = f"{cache}/{os.path.basename(source)}.load_cache.{trainer_id}"
        LocalFS().delete(local)
        fs.download(source, local)
    load(local)
    return _status(f"{local}/{STATUS}")


def _status(file_name: str) -> TrainStatus:
    if not os.path.isfile(file_name):
        return TrainStatus()
    with open(file_name) as file:
        status = json.load(file)
    epoch = status.get("epoch_no") if isinstance(status, dict) else None
    if not isinstance(epoch, int) or epoch < 0:
        raise NotFoundError(f"load_check_point: {file_name!r} holds no epoch: {status}")
    return TrainStatus(epoch)
