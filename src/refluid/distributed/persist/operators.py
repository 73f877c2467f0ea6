"""The operators of programs that save: recv_save and checkpoint_notify."""

from __future__ import annotations

import os

from refluid.core.dtypes import TORCH, VarType
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.distributed.persist.remote import RemotePiece, RemoteVariable
from refluid.distributed.persist.tables import save_tables
from refluid.distributed.persist.visit import visiting
from refluid.ops.registry import DType, Long, op
from refluid.saving.files import replacing

# ruff: noqa: B006  # no default is ever changed

_HERE = ["127.0.0.1:6164"]  # Fluid's default endpoint


@op("", nograd="*", side_effect=True)
def recv_save(
    *, file_path: str, dtype: DType = 5, overwrite: bool = True, shape: list[Long] = [],
    slice_varnames: list[str] = [], remote_varnames: list[str] = [], slice_shapes: list[str] = [],
    endpoints: list[str] = [], trainer_id: int = 0,
) -> None:  # fmt: skip
    """Fetch the pieces of a variable from servers and write them as one file; slice_shapes are as "3,4"."""
    if not file_path:
        raise ArgumentError("file_path is empty")
    if not overwrite and os.path.exists(file_path):
        raise EnforceNotMet(f"{file_path!r} exists, and overwrite is off")
    if not len(remote_varnames) == len(slice_shapes) == len(endpoints) > 0:
        raise ArgumentError(
            f"{len(remote_varnames)} remote_varnames, {len(slice_shapes)} slice_shapes and {len(endpoints)} endpoints "
            "must have the same length, one at least"
        )
    shapes = [tuple(int(size) for size in text.split(",") if size) for text in slice_shapes]
    pieces = [RemotePiece(*about) for about in zip(endpoints, remote_varnames, shapes, strict=True)]
    variable = RemoteVariable(os.path.basename(file_path), TORCH[VarType(dtype)], tuple(shape), pieces)
    with visiting("recv_save", trainer_id, sorted(set(endpoints))) as trainer, replacing(file_path) as file:
        variable.write(file, trainer)


@op("", nograd="*", side_effect=True)
def checkpoint_notify(*, epmap: list[str] = _HERE, dir: str = "", lookup_table: str = "", trainer_id: int = 0) -> None:
    """Let server i save its rows of a distributed table as `dir/<table>_<i>`; `dir` is a path of the servers' machines.

    Optimizer states of the rows go to the folder `<dir>.states`.
    """
    with visiting("checkpoint_notify", trainer_id, sorted(set(epmap))) as trainer:
        save_tables(trainer, epmap, dir, [lookup_table])
