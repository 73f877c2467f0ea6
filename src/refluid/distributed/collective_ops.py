"""The operators between processes, with Fluid's slots: rendezvous, collectives, and those that order streams.

Fluid runs collectives on streams of their own and orders them by c_sync_calc_stream and c_sync_comm_stream. Here a
collective has ended when its operator has; plans start them early (distributed/bucket_pass.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.distributed import ring as rings
from refluid.distributed.ring import Ring
from refluid.distributed.ring_of_one import RingOfOne
from refluid.distributed.sparse import sum_rows
from refluid.distributed.world import World, join
from refluid.ops.backward_ops import BackwardOp, Call, from_x_to_out, some_attrs
from refluid.ops.infer import Spec
from refluid.ops.registry import NUMBERS, OpDef, Tensor, op
from refluid.tensor.selected_rows import SelectedRows

_met: list[World | None] = []  # what the result of c_gen_nccl_id stands for; None: this process is alone


# -- rendezvous -----------------------------------------------------------------------------------------------------


@op("Out", nograd="*", side_effect=True)
def c_gen_nccl_id(
    *, rank: int, endpoint: str, other_endpoints: list[str], device: torch.device | None = None
) -> Tensor:
    """Meet the other ranks; Out stands for them."""
    endpoints = list(other_endpoints)
    endpoints.insert(rank, endpoint)
    return _token(join("c_gen_nccl_id", rank, endpoints, endpoint) if other_endpoints else None)


@op("", nograd="*", side_effect=True)
def c_comm_init(X: Tensor, *, nranks: int, rank: int, ring_id: int = 0, device_id: int = -1) -> None:
    """Make the ring `ring_id` of all ranks that X stands for."""
    world = _met[int(X)]
    if world is None:
        _stay_alone(ring_id)
        return
    if (world.size, world.rank) != (nranks, rank):
        raise ArgumentError(f"this is rank {world.rank} of {world.size}, but the ring has rank {rank} of {nranks}")
    _make_ring(world, ring_id)


@op("", nograd="*", side_effect=True)
def c_comm_init_all(*, devices: list[int] = [], ring_id: int = 0) -> None:  # noqa: B006  # not changed
    """The ring of the devices of one process, which share one copy of everything here."""
    _stay_alone(ring_id)


@op("NCCLID", nograd="*", side_effect=True)
def gen_nccl_id(
    *,
    trainers: list[str] = [],  # noqa: B006  # not changed
    trainer_id: int = 0,
    endpoint: str = "",
    endpoint_list: list[str] = [],  # noqa: B006  # not changed
    nccl_comm_num: int = 1,
    use_hierarchical_allreduce: bool = False,
    hierarchical_allreduce_inter_nranks: int = 1,
) -> Tensor:
    """Meet the other trainers (of 1.4: `endpoint_list` are the others) and make the rings that they train with.

    A hierarchy of rings is for devices and networks of different speed; every ring here has all trainers, which
    gives the same sums.
    """
    endpoints = list(trainers)
    if not endpoints:
        endpoints = list(endpoint_list)
        endpoints.insert(trainer_id, endpoint)
    if len(endpoints) < 2:
        return _token(None)
    world = join("gen_nccl_id", trainer_id, endpoints)
    for ring_id in range(max(nccl_comm_num, 1)):
        _make_ring(world, ring_id)
    return _token(world)


@c_gen_nccl_id.infer
@gen_nccl_id.infer
def _raw(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [None]  # the variable stays what the program declares


def _token(world: World | None) -> Tensor:
    if world not in _met:
        _met.append(world)
    return torch.tensor([_met.index(world)])


def _make_ring(world: World, ring_id: int) -> None:
    known = rings.find(ring_id)
    if known is None or known.world is not world or known.size != world.size:
        rings.register(Ring(world, ring_id))


def _stay_alone(ring_id: int) -> None:
    if rings.find(ring_id) is None:
        rings.register(RingOfOne(ring_id))


_RING_ATTRS = ("ring_id", "use_calc_stream", "nranks")

# -- collectives ----------------------------------------------------------------------------------------------------


def reduced(value: Tensor | SelectedRows, ring_id: int, operation: str = "sum") -> Any:
    """The sum (or the like) over the ring of a tensor, or of the rows of a sparse gradient."""
    ring = rings.get(ring_id)
    if isinstance(value, SelectedRows):
        if operation != "sum":
            raise ArgumentError(f"sparse gradients can be summed, not reduced by {operation}")
        return sum_rows(ring, value)
    total = value.contiguous().clone()
    ring.all_reduce(total, operation).wait()
    return total


def _allreduce(operation: str) -> OpDef:
    def kernel(X: Tensor, *, ring_id: int = 0, use_calc_stream: bool = False) -> Tensor:
        return reduced(X, ring_id, operation)

    kernel.__name__ = f"c_allreduce_{operation}"
    kernel.__doc__ = f"Out is the {operation} of X over all ranks of the ring."
    return op("Out", nograd="*", like="X", dtypes={"X": NUMBERS}, side_effect=True, collective=True)(kernel)


c_allreduce_sum, c_allreduce_max, c_allreduce_min, c_allreduce_prod = map(_allreduce, ("sum", "max", "min", "prod"))


@c_allreduce_sum.gradient_ops
def _summed_back(op: Call) -> list[BackwardOp]:
    return from_x_to_out(op, "c_allreduce_sum", some_attrs(op, *_RING_ATTRS))


@op("Out", nograd="*", like="X", side_effect=True, collective=True)
def c_broadcast(X: Tensor, *, ring_id: int = 0, root: int = 0, use_calc_stream: bool = False) -> Tensor:
    """Out is X of rank `root`."""
    return _broadcast(X, ring_id, root)


@op("Out", nograd="*", lod=None, side_effect=True, collective=True)
def c_allgather(X: Tensor, *, nranks: int, ring_id: int = 0, use_calc_stream: bool = False) -> Tensor:
    """Out is X of all ranks, concatenated along the first axis."""
    ring = _ring_of("c_allgather", ring_id, nranks)
    gathered = X.new_empty((nranks * X.shape[0], *X.shape[1:]))
    ring.all_gather(X.contiguous(), list(gathered.chunk(nranks))).wait()
    return gathered


@op("Out", nograd="*", lod=None, side_effect=True, collective=True)
def c_reducescatter(X: Tensor, *, nranks: int = 1, ring_id: int = 0, use_calc_stream: bool = False) -> Tensor:
    """Out is this rank's part, along the first axis, of the sum of X over all ranks."""
    _divided(X.shape[0], nranks)
    ring = _ring_of("c_reducescatter", ring_id, nranks)
    made = X.new_empty((X.shape[0] // nranks, *X.shape[1:]))
    ring.reduce_scatter([part.contiguous() for part in X.chunk(nranks)], made).wait()
    return made


@c_allgather.gradient_ops
def _scattered_back(op: Call) -> list[BackwardOp]:
    return from_x_to_out(op, "c_reducescatter", some_attrs(op, *_RING_ATTRS))


@c_allgather.infer
def _gathered(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [_with_rows(inputs[0], lambda rows: rows * attrs["nranks"])]


@c_reducescatter.infer
def _scattered(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [_with_rows(inputs[0], lambda rows: _divided(rows, attrs["nranks"]))]


@op("Out", nograd="*", like="X", side_effect=True, collective=True)
def allreduce(X: Tensor, *, reduce_type: int = 0, sync_mode: bool = False) -> Tensor:
    """Out is the sum (0), product (1), maximum (2) or minimum (3) of X over all trainers."""
    kinds = ("sum", "prod", "max", "min")
    if not 0 <= reduce_type < len(kinds):
        raise ArgumentError(f"reduce_type must be from 0 to 3, got {reduce_type}")
    return reduced(X, 0, kinds[reduce_type])


@op("Out", nograd="*", like="X", side_effect=True, collective=True)
def broadcast(X: Tensor, *, root: int = 0, sync_mode: bool = False) -> Tensor:
    """Out is X of trainer `root`."""
    return _broadcast(X, 0, root)


def _broadcast(value: Tensor, ring_id: int, root: int) -> Tensor:
    made = value.contiguous().clone()
    rings.get(ring_id).broadcast(made, root).wait()
    return made


def _ring_of(what: str, ring_id: int, nranks: int) -> Ring:
    ring = rings.get(ring_id)
    if ring.size != nranks:
        raise ArgumentError(f"nranks is {nranks}, but ring {ring_id} has {ring.size} ranks")
    return ring


def _divided(rows: int, nranks: int) -> int:
    if rows >= 0 and rows % nranks:
        raise ShapeError(f"X has {rows} rows, which {nranks} ranks cannot share evenly")
    return rows // nranks if rows >= 0 else rows


def _with_rows(spec: Spec, change: Callable[[int], int]) -> Spec:
    rows, *rest = spec.shape
    return Spec((change(rows) if rows >= 0 else rows, *rest), spec.dtype)


# -- streams --------------------------------------------------------------------------------------------------------


@op("Out", nograd="*", like="X")
def c_sync_calc_stream(X: Tensor) -> Tensor:
    """Out is X: kernels run in the order of the program."""
    return X


@op("Out", nograd="*", like="X", duplicable="Out")
def c_sync_comm_stream(X: list[Tensor], *, ring_id: int = 0) -> list[Tensor]:
    """Out is X: a collective has ended when its operator has."""
    return X
