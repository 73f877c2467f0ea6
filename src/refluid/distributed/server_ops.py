# ruff: noqa: B006  # no default is ever changed
"""Operators of delay compensation with parameter servers: Fluid's slots and attributes.

DistributeTranspiler writes them into programs, which are built, printed, cloned and saved; those that say so do not run
yet. server/operators.py has the exchange of gradients and parameters, server/table_operators.py the look-ups of rows.
"""

from __future__ import annotations

from refluid.core.errors import ShapeError
from refluid.ops.registry import NUMBERS, OpDef, Tensor, op

# -- trainers -------------------------------------------------------------------------------------------------------


@op("Out", lod=None, duplicable="Out", dtypes={"X": NUMBERS})
def split_byref(X: Tensor, *, sections: list[int] = [], num: int = 0) -> list[Tensor]:
    """X split along the first axis, without a copy: by sections, or into `num` equal pieces."""
    if not sections and (num < 1 or X.shape[0] % num):
        raise ShapeError(f"X has {X.shape[0]} rows, which cannot be split into {num} pieces of one size")
    if sections and sum(sections) != X.shape[0]:
        raise ShapeError(f"X has {X.shape[0]} rows, but sections {list(sections)} add up to {sum(sections)}")
    return list(X.split(sections or X.shape[0] // num))


# -- servers --------------------------------------------------------------------------------------------------------


@op("Out", nograd="*")
def ref_by_trainer_id(X: list[Tensor], TrainerId: Tensor) -> Tensor:
    """X[TrainerId]: what the trainer whose gradient is applied has seen last."""
    return X[int(TrainerId)]


def _as_declared(definition: OpDef) -> None:
    """The outputs stay what the program says they are."""
    definition.infer(lambda inputs, attrs: [None] * len(definition.outputs))


_as_declared(ref_by_trainer_id)
