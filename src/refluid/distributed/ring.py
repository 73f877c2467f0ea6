"""Ring: a process group under Fluid's `ring_id`. Gloo on CPUs, NCCL on GPUs; the collectives are torch's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.distributed.agreement import Agreement
from refluid.distributed.watcher import Activity
from refluid.distributed.world import World

# The watcher detects dead ranks, so that one may evaluate for hours while another waits.
FOR_EVER = timedelta(days=30)
OPERATIONS = {
    "sum": dist.ReduceOp.SUM,
    "prod": dist.ReduceOp.PRODUCT,
    "max": dist.ReduceOp.MAX,
    "min": dist.ReduceOp.MIN,
}
_rings: dict[int, Ring] = {}


class Exchange:
    """A collective that was started: `wait` for its end before its tensors are read."""

    __slots__ = ("_activity", "_ring", "_work")

    def __init__(self, ring: Ring, work: Any, activity: Activity):
        self._ring = ring
        self._work = work
        self._activity = activity

    def wait(self) -> None:
        world = self._ring.world
        world.activity = self._activity._replace(waiting=True)
        try:
            self._work.wait()
        except RuntimeError as error:
            raise world.failure(error) from None
        world.activity = self._activity


class Ring:
    """Some or all ranks of a world, which exchange tensors in one order."""

    def __init__(self, world: World, ring_id: int = 0, ranks: list[int] | None = None, device: str = "cpu"):
        self.world = world
        self.ring_id = ring_id
        self.ranks = list(range(world.size)) if ranks is None else ranks
        if world.rank not in self.ranks:
            raise ArgumentError(f"ring {ring_id}: rank {world.rank} is not among its ranks {self.ranks}")
        self.rank = self.ranks.index(world.rank)
        self.size = len(self.ranks)
        self._group = self._connect(device)
        world.calls.setdefault(ring_id, 0)
        self._last: Any = None  # torch's object of the last exchange
        self.agreed = ""  # what all ranks do now, Note [Comparing ranks]
        self._trusts = False
        world.rings.append(self)

    def _connect(self, device: str) -> Any:
        name = f"ring/{self.ring_id}/{'-'.join(map(str, self.ranks))}"
        store = dist.PrefixStore(f"{name}/{_generation(self.world, name)}", self.world.store)
        if device == "cuda":
            return dist.ProcessGroupNCCL(store, self.rank, self.size, FOR_EVER)  # type: ignore[arg-type]  # stub lacks it
        options = dist.ProcessGroupGloo._Options()  # type: ignore[attr-defined]  # not in torch's stub
        options._devices = [dist.ProcessGroupGloo.create_device(hostname=self.world.host)]
        options._timeout = FOR_EVER
        options._threads = 1  # exchanges run one after the other, in the order of their start
        return dist.ProcessGroupGloo(store, self.rank, self.size, options)

    def _start(self, what: str, value: torch.Tensor, begin: Callable[[], Any], agreed: bool) -> Exchange:
        shape = "x".join(map(str, value.shape)) or "1"
        words = f"{what} of {str(value.dtype).removeprefix('torch.')} {shape} on ring {self.ring_id}"
        if not (agreed or self._trusts):
            Agreement(words).settle(self)
        activity = Activity(words, self.ring_id, self.world.calls[self.ring_id])
        self.world.calls[self.ring_id] += 1
        self.world.activity = activity
        try:
            work = begin()
        except RuntimeError as error:
            raise self.world.failure(error) from None
        self._last = work
        return Exchange(self, work, activity)

    @contextlib.contextmanager
    def trusted(self) -> Iterator[None]:
        """All ranks are known to start the exchanges inside."""
        self._trusts = True
        try:
            yield
        finally:
            self._trusts = False

    def close(self) -> None:
        """End the thread of the process group, if nothing is under way that it would wait for.

        The thread frees the tensors of an exchange, for which it needs Python's lock. A thread that asks for it while
        Python ends aborts the process, so it has to end before.
        """
        if self._last is None or self._last.is_completed():
            self._group = self._last = None

    # -- the collectives: started here, ended by `wait` -----------------------------------------------------------

    # `agreed`: all ranks are known to start this one.

    def all_reduce(
        self, value: torch.Tensor, operation: str = "sum", what: str = "all_reduce", agreed: bool = False
    ) -> Exchange:
        """The sum (max, min, product) of every rank's `value`, in place."""
        options = dist.AllreduceOptions()
        options.reduceOp = OPERATIONS[operation]  # type: ignore[assignment]  # torch's stub has the other of its types
        label = what if operation == "sum" else f"{what}({operation})"
        return self._start(label, value, lambda: self._group.allreduce([value], options), agreed)

    def broadcast(self, value: torch.Tensor, root: int = 0, agreed: bool = False) -> Exchange:
        """`value` of rank `root`, in place."""
        if not 0 <= root < self.size:
            raise ArgumentError(f"broadcast: the root must be one of {self.size} ranks, got {root}")
        options = dist.BroadcastOptions()
        options.rootRank = root
        options.rootTensor = 0
        return self._start(f"broadcast from {root}", value, lambda: self._group.broadcast([value], options), agreed)

    def all_gather(self, value: torch.Tensor, out: list[torch.Tensor], agreed: bool = False) -> Exchange:
        """`out[r]` becomes the `value` of rank r; all have one shape."""
        return self._start("all_gather", value, lambda: self._group.allgather([out], [value]), agreed)

    def reduce_scatter(self, parts: list[torch.Tensor], out: torch.Tensor, agreed: bool = False) -> Exchange:
        """`out` becomes the sum of part number `rank` of every rank."""
        return self._start("reduce_scatter", out, lambda: self._group.reduce_scatter([out], [parts]), agreed)

    def barrier(self) -> None:
        """Wait until every rank is here."""
        self.all_reduce(torch.zeros(1), what="barrier").wait()

    def exchange_codes(self, code: int, what: str) -> list[int]:
        """A number of every rank, by a collective that serves nothing else."""
        own, codes = torch.full((self.size,), code), torch.empty(self.size, dtype=torch.int64)
        options = dist.AllToAllOptions()
        begin = lambda: self._group.alltoall_base(codes, own, [], [], options)  # noqa: E731
        self._start(f"comparison before {what}", own, begin, agreed=True).wait()
        return codes.tolist()

    def all_gather_rows(self, value: torch.Tensor) -> list[torch.Tensor]:
        """The `value` of every rank, each with its own number of rows."""
        return self.all_gather_rows_of([value])[0]

    def all_gather_rows_of(self, values: list[torch.Tensor], agreed: bool = False) -> list[list[torch.Tensor]]:
        """The same of several tensors of one height: the heights first, then rows padded to the most."""
        if not (agreed or self._trusts):
            Agreement("all_gather of rows", [f"{v.dtype} {list(v.shape[1:])}" for v in values]).settle(self)
        own = values[0].shape[0]
        counts = [torch.zeros(1, dtype=torch.int64) for _ in self.ranks]
        self.all_gather(torch.tensor([own]), counts, agreed=True).wait()
        sizes = [int(count) for count in counts]
        longest = max(sizes)
        gathered, exchanges = [], []
        for value in values:
            padded = value
            if own != longest:
                padded = value.new_zeros((longest, *value.shape[1:]))
                padded[:own] = value
            whole = value.new_empty((self.size, longest, *value.shape[1:]))
            if whole.numel():
                exchanges.append(self.all_gather(padded.contiguous(), list(whole.unbind()), agreed=True))
            gathered.append([part[:size] for part, size in zip(whole, sizes, strict=True)])
        for exchange in exchanges:
            exchange.wait()
        return gathered

    def all_gather_text(self, text: str) -> list[str]:
        """A text of every rank, through the bytes of a tensor; all ranks must be known to come here."""
        data = torch.frombuffer(bytearray(text.encode() or b" "), dtype=torch.uint8)
        return [bytes(part.tolist()).decode().rstrip(" ") for part in self.all_gather_rows_of([data], agreed=True)[0]]


def _generation(world: World, name: str) -> int:
    """How often this rank has connected this ring: all ranks do it in the same order, so the counts agree."""
    world.connections[name] = world.connections.get(name, -1) + 1
    return world.connections[name]


def register(ring: Ring) -> Ring:
    """Register the ring under its number, for operators."""
    _rings[ring.ring_id] = ring
    return ring


def find(ring_id: int) -> Ring | None:
    return _rings.get(ring_id)


def get(ring_id: int) -> Ring:
    """The ring with this number."""
    if ring_id not in _rings:
        known = ", ".join(map(str, sorted(_rings))) or "none"
        raise NotFoundError(
            f"ring {ring_id} does not exist in this process (there is {known}); run the startup program, whose "
            "c_comm_init makes it, or call prepare_context"
        )
    return _rings[ring_id]
