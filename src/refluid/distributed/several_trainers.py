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
from refluid.distributed.agreement import agree
from refluid.distributed.data_parallel import broadcast
from refluid.executor import data_parallel
from refluid.ir.program import Program
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope

_begun: weakref.WeakKeyDictionary[Scope, weakref.WeakSet[Program]] = weakref.WeakKeyDictionary()


def begin(program: Program, scope: Scope, trainers: int) -> bool:
    """Whether there is a ring of so many trainers; in a new scope they take the values of trainer 0 first."""
    ring = rings.find(0)
    if ring is None:
        return False
    if ring.size != trainers:
        raise ArgumentError(f"with_data_parallel: num_trainers is {trainers}, but {ring.size} trainers have met")
    begun = _begun.setdefault(scope, weakref.WeakSet())
    if program not in begun:
        begun.add(program)
        values = _values(program, scope)
        agree(ring, "the variables of the programs", [f"{name} {t.dtype} {list(t.shape)}" for name, t in values])
        broadcast(ring, [t for _, t in values])
    return True


def _values(program: Program, scope: Scope) -> list[tuple[str, torch.Tensor]]:
    """The persistable variables that have values, in the order of the program."""
    found = []
    for var in program.list_vars():
        held = scope.find_var(var.name) if var.persistable else None
        value = held.value if held is not None else None
        if isinstance(value, LoDTensor) and value.t is not None:
            found.append((var.name, value.t))
    return found


data_parallel.several_trainers = begin
