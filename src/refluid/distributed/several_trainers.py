"""Several trainers of one compiled program: they agree on it and begin with the parameters of trainer 0."""

from __future__ import annotations

import weakref

import torch

from refluid.core.errors import ArgumentError
from refluid.distributed import (  # passes over plans
    bucket_pass as bucket_pass,
    ring as rings,
    sync_batch_norm as sync_batch_norm,
)
from refluid.distributed.agreement import Agreement
from refluid.distributed.data_parallel import broadcast
from refluid.distributed.environment import ParallelEnv
from refluid.distributed.ring import Ring
from refluid.distributed.world import join_from_environment
from refluid.ir.program import Program
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope

_begun: weakref.WeakKeyDictionary[Scope, weakref.WeakSet[Program]] = weakref.WeakKeyDictionary()


def begin(program: Program, scope: Scope, trainers: int) -> int:
    """How many rings of so many trainers there are; in a new scope they take the values of trainer 0 first."""
    ring = rings.find(0)
    if ring is None or ring.size == 1:
        ring = _ring_from_launcher(trainers)
    if ring is None:
        return 0
    if ring.size != trainers:
        raise ArgumentError(f"with_data_parallel: num_trainers is {trainers}, but {ring.size} trainers have met")
    begun = _begun.setdefault(scope, weakref.WeakSet())
    if program not in begun:
        begun.add(program)
        values = _values(program, scope)
        lines = [f"{name} {t.dtype} {list(t.shape)}" for name, t in values]
        Agreement("the variables of the programs", lines).settle(ring)
        broadcast(ring, [t for _, t in values])
    return _count_of_rings(program, ring)


def _count_of_rings(program: Program, first: Ring) -> int:
    """As many as the transpiler was asked for (nccl_comm_num), of those that there are."""
    wanted = range(1, getattr(program, "_nccl_comm_num", 1))
    others = [ring for ring in map(rings.find, wanted) if ring is not None and ring.ranks == first.ranks]
    return 1 + len(others) if len(others) == len(wanted) else 1


def _ring_from_launcher(trainers: int) -> Ring | None:
    """Connect to the trainers that the launcher's variables list, where the startup program was not transpiled."""
    env = ParallelEnv()
    if env.nranks != trainers or not env.trainer_endpoints[0]:
        return None
    return rings.register(Ring(join_from_environment("with_data_parallel")))


def _values(program: Program, scope: Scope) -> list[tuple[str, torch.Tensor]]:
    """The persistable variables that have values, in the order of the program."""
    values = []
    for var in program.list_vars():
        held = scope.find_var(var.name) if var.persistable else None
        value = held.value if held is not None else None
        if isinstance(value, LoDTensor) and value.t is not None:
            values.append((var.name, value.t))
    return values
