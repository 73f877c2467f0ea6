# ruff: noqa: B006  # no default is ever changed
"""Operators of tables, of saving and of delay compensation with parameter servers: Fluid's slots and attributes.

DistributeTranspiler writes them into programs, which are built, printed, cloned and saved; those that say so do not run
yet. server/operators.py has the exchange of gradients and parameters.
"""

from __future__ import annotations

from typing import NoReturn

from refluid.core.errors import EnforceNotMet, ShapeError
from refluid.ops.registry import NUMBERS, DType, Long, OpDef, Tensor, op

_HERE = ["127.0.0.1:6164"]  # where Fluid's servers are if nobody says where


def _not_running(op_type: str) -> NoReturn:
    raise EnforceNotMet(f"{op_type}: parameter servers are not running yet; this release writes their programs only")


# -- trainers -------------------------------------------------------------------------------------------------------


@op("Outputs", duplicable="Outputs", nograd="*", side_effect=True)
def distributed_lookup_table(
    Ids: list[Tensor], W: Tensor, *, table_names: list[str] = [""], height_sections: list[Long] = [],
    endpoints: list[str] = _HERE, trainer_id: int = 0, lookup_table_version: str = "lookup_table",
    padding_idx: Long = -1, dtype: DType = 5,
) -> list[Tensor]:  # fmt: skip
    """The rows of the batch, from the servers that hold the pieces table_names of W."""
    _not_running("distributed_lookup_table")


@op("Out", duplicable="Out", nograd="*", side_effect=True)
def prefetch(X: list[Tensor], *, trainer_id: int = 0, epmap: list[str] = _HERE) -> list[Tensor]:
    """Out[i] are the rows of the ids X[i] of a distributed table, from the server epmap[i]."""
    _not_running("prefetch")


@op("Out", duplicable="Out", nograd="*")
def split_ids(Ids: list[Tensor]) -> list[Tensor]:
    """Out[i] are the different ids of all Ids, or the rows of a sparse gradient, of server i: id modulo servers."""
    _not_running("split_ids")


@op("Out", duplicable="Out", nograd="*")
def merge_ids(Ids: list[Tensor], Rows: list[Tensor], X: list[Tensor]) -> list[Tensor]:
    """Out[i] are the rows of Ids[i], where X[j] has those of the ids Rows[j]."""
    _not_running("merge_ids")


@op("Out", lod=None, duplicable="Out", dtypes={"X": NUMBERS})
def split_byref(X: Tensor, *, sections: list[int] = [], num: int = 0) -> list[Tensor]:
    """X cut along the first axis, without a copy: into pieces of so many rows, or into `num` equal ones."""
    if not sections and (num < 1 or X.shape[0] % num):
        raise ShapeError(f"X has {X.shape[0]} rows, which cannot be cut into {num} pieces of one size")
    if sections and sum(sections) != X.shape[0]:
        raise ShapeError(f"X has {X.shape[0]} rows, but sections {list(sections)} add up to {sum(sections)}")
    return list(X.split(sections or X.shape[0] // num))


@op("Out", nograd="*")
def fake_init(*, shape: list[Long]) -> Tensor:
    """Stands for a table that servers hold: it has a shape and takes no memory."""
    _not_running("fake_init")


@op("", nograd="*", side_effect=True)
def recv_save(
    *, file_path: str, dtype: DType = 5, overwrite: bool = True, shape: list[Long] = [],
    slice_varnames: list[str] = [], remote_varnames: list[str] = [], slice_shapes: list[str] = [],
    endpoints: list[str] = [], trainer_id: int = 0,
) -> None:  # fmt: skip
    """Fetch the pieces of a variable from servers and write them as one file."""
    _not_running("recv_save")


@op("", nograd="*", side_effect=True)
def checkpoint_notify(*, epmap: list[str] = _HERE, dir: str = "", lookup_table: str = "", trainer_id: int = 0) -> None:
    """Let every server save its part of a distributed table into a folder."""
    _not_running("checkpoint_notify")


# -- servers --------------------------------------------------------------------------------------------------------


@op("Out", nograd="*")
def lookup_sparse_table(
    W: Tensor, Ids: Tensor, *, padding_idx: Long = -1, auto_grown_table: bool = True, is_test: bool = False
) -> Tensor:
    """The rows of a table that grows; with is_test an unknown id has zeros."""
    _not_running("lookup_sparse_table")


@op("Out", nograd="*")
def ref_by_trainer_id(X: list[Tensor], TrainerId: Tensor) -> Tensor:
    """X[TrainerId]: what the trainer whose gradient is applied has seen last."""
    _not_running("ref_by_trainer_id")


def _as_declared(definition: OpDef) -> None:
    """The outputs stay what the program says they are."""
    definition.infer(lambda inputs, attrs: [None] * len(definition.outputs))


for _definition in (
    distributed_lookup_table, prefetch, split_ids, merge_ids,
    fake_init, recv_save, checkpoint_notify, lookup_sparse_table, ref_by_trainer_id,
):  # fmt: skip
    _as_declared(_definition)
