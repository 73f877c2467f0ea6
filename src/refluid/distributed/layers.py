"""fluid.layers.collective: collectives as layers. Their names begin with an underscore there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from refluid.core import unique_name
from refluid.core.errors import ArgumentError
from refluid.distributed import collective_ops as ops
from refluid.layers.helper import LayerHelper

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable

_REDUCE_TYPES = {"sum": 0, "prod": 1, "max": 2, "min": 3}
_C_ALLREDUCE = {
    "sum": ops.c_allreduce_sum,
    "prod": ops.c_allreduce_prod,
    "prob": ops.c_allreduce_prod,  # as 1.8.5 spells it
    "max": ops.c_allreduce_max,
    "min": ops.c_allreduce_min,
}


def allreduce(
    x: BaseVariable, out: BaseVariable | None = None, reduce_type: str = "sum", sync_mode: bool = False
) -> BaseVariable:
    """x reduced over all trainers."""
    kind = _of(_REDUCE_TYPES, reduce_type, "_allreduce")
    if out is None:
        out = _output(x, None, "tmp")
        out.stop_gradient = True
    return _append("allreduce", x, out, reduce_type=kind, sync_mode=sync_mode)


def broadcast(x: BaseVariable, root: int, sync_mode: bool = False) -> BaseVariable:
    """x of trainer `root`, in place."""
    return _append("broadcast", x, x, sync_mode=sync_mode, root=root)


def c_allreduce(
    x: BaseVariable,
    out: BaseVariable | None = None,
    reduce_type: str = "sum",
    ring_id: int = 0,
    use_calc_stream: bool = False,
) -> BaseVariable:
    """x reduced over a ring."""
    op = _of(_C_ALLREDUCE, reduce_type, "_c_allreduce").type
    return _append(op, x, _output(x, out, op), ring_id=ring_id, use_calc_stream=use_calc_stream)


def c_broadcast(x: BaseVariable, root: int = 0, ring_id: int = 0, use_calc_stream: bool = False) -> BaseVariable:
    """x of rank `root` of a ring, in place."""
    return _append("c_broadcast", x, x, root=root, ring_id=ring_id, use_calc_stream=use_calc_stream)


def c_allgather(x: BaseVariable, nranks: int, ring_id: int = 0, use_calc_stream: bool = False) -> BaseVariable:
    """x of all ranks of a ring, along the first axis."""
    out = _output(x, None, "c_allgather", lambda rows: rows * nranks)
    return _append("c_allgather", x, out, nranks=nranks, ring_id=ring_id, use_calc_stream=use_calc_stream)


def c_reducescatter(x: BaseVariable, nranks: int, ring_id: int = 0, use_calc_stream: bool = False) -> BaseVariable:
    """This rank's part of the sum of x over a ring."""
    if x.shape[0] > 0 and x.shape[0] % nranks:
        raise ArgumentError(f"_c_reducescatter: x has {x.shape[0]} rows, which {nranks} ranks cannot share evenly")
    out = _output(x, None, "c_reducescatter", lambda rows: rows // nranks)
    return _append("c_reducescatter", x, out, nranks=nranks, ring_id=ring_id, use_calc_stream=use_calc_stream)


def c_sync_calc_stream(x: BaseVariable) -> BaseVariable:
    return _append("c_sync_calc_stream", x, x)


def c_sync_comm_stream(x: BaseVariable, ring_id: int) -> BaseVariable:
    return _append("c_sync_comm_stream", x, x, ring_id=ring_id)


def _of(table: dict[str, Any], kind: str, who: str) -> Any:
    if kind not in table:
        raise ArgumentError(f"{who}: reduce_type must be sum, prod, max or min, got {kind!r}")
    return table[kind]


def _output(
    x: BaseVariable, out: BaseVariable | None, key: str, rows: Callable[[int], int] = lambda rows: rows
) -> BaseVariable:
    if out is not None:
        return out
    first, *rest = x.shape
    return LayerHelper(key).create_variable(
        name=unique_name.generate(f"{x.name}.{key}"), shape=[rows(first) if first > 0 else first, *rest],
        dtype=x.dtype, type=x.type, persistable=x.persistable,
    )  # fmt: skip


def _append(op_type: str, x: BaseVariable, out: BaseVariable, **attrs: object) -> BaseVariable:
    LayerHelper(op_type).append_op(type=op_type, inputs={"X": [x]}, outputs={"Out": [out]}, attrs=attrs)
    return out
