"""Data parallelism on one machine: settings, the splitting of feeds over places, the merging of fetches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.later import Later
from refluid.core.places import CPUPlace, CUDAPlace, Place, cpu_places, cuda_places
from refluid.core.warn import warn_once
from refluid.executor.graphviz import write_graph
from refluid.executor.replicate import Replicated, replicate
from refluid.ir.program import Program
from refluid.ir.roles import OpRole, has_role
from refluid.ops import registry
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope
from refluid.tensor.selected_rows import SelectedRows
from refluid.tensor.tensor_array import LoDTensorArray

if TYPE_CHECKING:
    from torch import Tensor

Fed = tuple[Any, LoD | None]  # a value and its LoD


# Meets the trainers, if there are any: (program, scope, their number) -> the number of their rings.
several_trainers = Later("refluid.distributed.several_trainers:begin")


class DataParallel:
    """What CompiledProgram.with_data_parallel was told, and the programs made from it.

    All places share the device of the executor: see Note [Places of one machine].
    """

    def __init__(
        self,
        program: Program,
        loss_name: str | None,
        places: Sequence[Place] | None,
        gradient_scale: str,
        trainers: int = 1,
        graph_path: str = "",
        sync_batch_norm: bool = False,
    ) -> None:
        self.program = program
        self.loss_name = loss_name
        self.places = places
        self.gradient_scale = gradient_scale
        self.trainers = trainers
        self.graph_path = graph_path
        self.sync_batch_norm = sync_batch_norm
        self._made: dict[tuple, Replicated] = {}

    def places_for(self, place: Place) -> Sequence[Place]:
        """The places: those given, else CPU_NUM of them or all CUDA devices, by where the executor runs."""
        if self.places is not None:
            return self.places
        return cuda_places() if isinstance(place, CUDAPlace) else cpu_places()

    def rings(self, scope: Scope) -> int:
        """How many rings gradients are summed on with other trainers, which are there and begin alike; 0: none."""
        if self.trainers < 2:
            return 0
        if rings := several_trainers(self.program, scope, self.trainers):
            return rings
        warn_once(
            f"with_data_parallel: build_strategy.num_trainers={self.trainers}, but no startup program has met the "
            "others (DistributeTranspiler with mode nccl2 writes it) and no launcher lists them: gradients are "
            "divided by all places, and no other trainer adds its own, as Fluid does on CPUs"
        )
        return 0

    def replicated(self, count: int, feeds: tuple[str, ...], rings: int = 0) -> Replicated:
        """The program for so many places; made again when the original has changed."""
        key = (self.program.version, count, feeds, rings)
        if key not in self._made:
            if any(version != self.program.version for version, *_ in self._made):
                self._made.clear()
            self._check_loss()
            averaging = 1.0 / (count * self.trainers)
            scale = {"CoeffNumDevice": averaging, "One": 1.0, "Customized": None}[self.gradient_scale]
            self._made[key] = replicate(self.program, count, feeds, scale, rings)
            if self.sync_batch_norm:
                _share_statistics(self._made[key])
            if self.graph_path:
                write_graph(self._made[key].program, self.graph_path)
        return self._made[key]

    def trains(self) -> bool:
        return any(has_role(op.attrs, OpRole.Backward) for op in self.program.operators())

    def _check_loss(self) -> None:
        if self.loss_name is None and self.trains():
            raise ArgumentError("with_data_parallel: the program has a backward pass, so loss_name must name its loss")
        if self.loss_name is not None and self.program.global_block().find_var(self.loss_name) is None:
            warn_once(f"with_data_parallel: loss_name={self.loss_name!r} is not in the program")


def _share_statistics(replicated: Replicated) -> None:
    """Batch norms of the trainers go by the statistics of all their batches; see distributed/sync_batch_norm.py."""
    for op in replicated.program.operators():
        definition = op.definition
        forward = None if definition is None else definition.forward or definition
        if forward is None or not forward.synchronous:
            continue
        if replicated.count > 1:
            raise ArgumentError(
                "with_data_parallel: build_strategy.sync_batch_norm: every place of a process has statistics of "
                "its own batch here; give every process one place"
            )
        together = registry.get(forward.synchronous)
        gradient = together.gradient if definition is not forward else together
        assert gradient is not None
        op.type = gradient.type


def check_places(places: Any) -> list[Place] | None:
    """The places that a user gives, as a list."""
    if places is None:
        return None
    chosen = list(places) if isinstance(places, list | tuple) else [places]
    if not chosen or not all(isinstance(place, Place) for place in chosen):
        raise ArgumentError(f"with_data_parallel: places must be a place or a list of places, got {places!r}")
    if any(isinstance(place, CPUPlace) for place in chosen) != all(isinstance(place, CPUPlace) for place in chosen):
        raise ArgumentError("with_data_parallel: places must be all CPU or all CUDA")
    return chosen


def feeds_of(
    feed: object, parallel: DataParallel, count: int, convert: Callable[[str, Any], Fed]
) -> tuple[dict[str, list[Fed]], int]:
    """{name: a value per place} of what is fed and what the program's readers have, and the number of places.

    Every place gets its own batch. A program that does not train runs on fewer places if there is not enough for all.
    """
    program = parallel.program
    if not parallel.trains():
        count = min(count, _batches(feed, program, convert) or count)
    fed = _given(feed, program, count, convert)
    for reader in program.readers:
        if not all(name in fed for name in reader.names):
            batches = [reader.next_feed() for _ in range(count)]
            fed.update({name: [convert(name, batch[name]) for batch in batches] for name in reader.names})
    return fed, count


def _batches(feed: object, program: Program, convert: Callable[[str, Any], Fed]) -> int:
    """How many places can have a part of the feed."""
    if not isinstance(feed, dict):
        return len(feed) if isinstance(feed, list | tuple) else 0
    shared = {name for name, var in program.global_block().vars.items() if var.persistable}
    return min((samples(*convert(name, value)) for name, value in feed.items() if name not in shared), default=0)


def _given(feed: object, program: Program, count: int, convert: Callable[[str, Any], Fed]) -> dict[str, list[Fed]]:
    """A feed is a dict, whose values are split, or a list with a dict per place."""
    if isinstance(feed, dict):
        variables = program.global_block().vars
        shared = {name for name, var in variables.items() if var.persistable}
        return {name: split(name, *convert(name, value), count, name in shared) for name, value in feed.items()}
    if not isinstance(feed, list | tuple) or not all(isinstance(part, dict) for part in feed):
        raise ArgumentError(f"Executor.run: feed must be a dict, or a list of one dict per place, got {feed!r}")
    if len(feed) != count:
        raise ArgumentError(
            f"Executor.run: feed is a list of {len(feed)} dicts, but the program runs on {count} places; "
            "a loader with drop_last=False gives fewer at the end of an epoch"
        )
    for place, part in enumerate(feed):
        if part.keys() != feed[0].keys():
            warn_once(
                f"Executor.run: feed[{place}] has {', '.join(part) or 'nothing'}, "
                f"but feed[0] has {', '.join(feed[0])}; variables that some places lack are ignored"
            )
    names = [name for name in feed[0] if all(name in part for part in feed)]
    return {name: [convert(name, part[name]) for part in feed] for name in names}


def samples(value: Tensor, lod: LoD | None) -> int:
    """The rows of a value, or its sequences of the outermost level."""
    return lod.count(0) if lod is not None else value.shape[0]


def split(name: str, value: Tensor, lod: LoD | None, count: int, whole: bool = False) -> list[Fed]:
    """A value in `count` parts: rows, or sequences of the outermost level.

    Parts have the size of the first, the last is shorter, as in Fluid; where that leaves a place without any (5 samples
    on 4 places, which Fluid refuses), sizes differ by one. A `whole` value with too little for all is shared by them.
    """
    if count == 1:
        return [(value, lod)]
    rows = samples(value, lod)
    if rows < count:
        if whole:
            return [(value, lod)] * count
        raise ArgumentError(
            f"feed {name!r}: a batch of {rows} cannot be split over {count} places; feed larger batches, or set "
            "CPU_NUM to the number of places"
        )
    step = -(-rows // count)
    if step * (count - 1) < rows:
        edges = [min(i * step, rows) for i in range(count + 1)]
    else:
        edges = [i * rows // count for i in range(count + 1)]
    return [_part(value, lod, start, end) for start, end in pairwise(edges)]


def _part(value: torch.Tensor, lod: LoD | None, start: int, end: int) -> Fed:
    if lod is None:
        return value[start:end], None
    lengths = []
    for level in lod.levels:
        lengths.append([b - a for a, b in pairwise(level[start : end + 1])])
        start, end = level[start], level[end]
    return value[start:end], LoD.from_lengths(lengths)


def merge(name: str, values: Sequence[Any], lods: Sequence[LoD | None]) -> Fed:
    """The values of all places one after the other."""
    if len(values) == 1:
        return values[0], lods[0]
    if all(isinstance(value, LoDTensorArray) for value in values):
        merged = [
            merge(name, [one.value() for one in parts], [one.lod_value for one in parts])
            for parts in zip(*values, strict=False)
        ]
        return LoDTensorArray(LoDTensor.of(*one) for one in merged), None
    if any(isinstance(value, SelectedRows | list | LoDTensor) for value in values):
        kind = type(values[0]).__name__
        raise ArgumentError(f"fetch_list: {name!r} is a {kind}, which cannot be merged; use return_merged=False")
    if any(value.shape[1:] != values[0].shape[1:] for value in values):
        shapes = " and ".join(str(list(value.shape)) for value in values)
        raise ShapeError(
            f"fetch_list: {name!r} has the shapes {shapes} on the places and cannot be merged; use return_merged=False"
        )
    return torch.cat(list(values)), _joined([lod for lod in lods if lod is not None])


def _joined(lods: list[LoD]) -> LoD | None:
    if not lods:
        return None
    return LoD.from_lengths([chain.from_iterable(parts) for parts in zip(*(lod.lengths() for lod in lods))])
