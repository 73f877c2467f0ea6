"""World: the ranks of one training, as one of them sees it. It holds the store, the watcher and the rings."""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import sys
import time
from types import TracebackType
from typing import Any

import torch.distributed as dist

from refluid.core.errors import EnforceNotMet
from refluid.distributed.doing import Doing
from refluid.distributed.environment import ParallelEnv, check_endpoints, check_rank
from refluid.distributed.store import connect, first_line, serve, split_endpoint
from refluid.distributed.watcher import Activity, Watcher


def patience() -> float:
    """How many seconds ranks wait for one another at the start (FLAGS_rpc_deadline is in milliseconds)."""
    return float(os.environ.get("FLAGS_rpc_deadline") or 180000) / 1000


class World:
    """All ranks of a training, met through rank 0. Made by `join`; one process may take part in several."""

    def __init__(self, rank: int, endpoints: list[str]):
        self.rank = rank
        self.endpoints = endpoints
        self.size = len(endpoints)
        self.host = split_endpoint(endpoints[rank])[0]
        self._doing = Doing()
        self.activity = Activity()
        self.connections: dict[str, int] = {}  # how often each ring was connected
        self.rings: list[Any] = []  # the rings of this rank
        self.calls: dict[int, int] = {}  # how many exchanges were started, by ring
        self.store = serve(endpoints[0], patience()) if rank == 0 else connect(endpoints[0], patience())
        self._meet()
        own = dist.TCPStore(*split_endpoint(endpoints[0]), None, False, self.store.timeout, wait_for_workers=False)  # type: ignore[attr-defined]  # not in torch's stub
        self._beat_first(own)
        self.watcher = Watcher(own, rank, endpoints, lambda: self.activity, self.calls)

    @property
    def activity(self) -> Activity:
        """What this rank does, for the others and for the launcher."""
        return self._activity

    @activity.setter
    def activity(self, activity: Activity) -> None:
        self._activity = activity
        self._doing.tell(activity)

    def _meet(self) -> None:
        """Rendezvous: the same endpoints everywhere, every rank once, all within the deadline."""
        listed = ",".join(self.endpoints)
        theirs = self.store.compare_set("endpoints", "", listed).decode()
        if theirs != listed:
            raise EnforceNotMet(
                f"rank {self.rank}: the first one to come to {self.endpoints[0]} trains with {theirs}, this one with "
                f"{listed}; all ranks need the same PADDLE_TRAINER_ENDPOINTS"
            )
        own = f"process {os.getpid()} on {socket.gethostname()}"
        first = self.store.compare_set(f"member/{self.rank}", "", own).decode()
        if first != own:
            raise EnforceNotMet(f"rank {self.rank}: {first} has this trainer id already; every rank needs its own")
        deadline = time.monotonic() + patience()
        for rank, endpoint in enumerate(self.endpoints):
            while not self.store.check([f"member/{rank}"]):
                if time.monotonic() > deadline:
                    raise EnforceNotMet(
                        f"rank {self.rank}: rank {rank} at {endpoint} did not come within {patience():g} s"
                    )
                time.sleep(0.01)

    def _beat_first(self, store: dist.Store) -> None:
        """Monitoring starts after the first heartbeat of every rank."""
        store.set(f"beat/{self.rank}", '[-1, null, [], "nothing yet", -1, -1, false]')
        store.wait([f"beat/{rank}" for rank in range(self.size)])

    def leave(self, failure: str = "") -> None:
        """Report the end of this rank, and close its rings."""
        self.watcher.leave(failure)
        for ring in self.rings:
            ring.close()

    def failure(self, error: BaseException) -> EnforceNotMet:
        """The error to raise where a collective has failed."""
        return EnforceNotMet(self.watcher.explain(first_line(error)))


_worlds: dict[tuple[int, int, tuple[str, ...]], World] = {}  # by process, rank and endpoints
_failed: list[str] = []


def join(what: str, rank: int, endpoints: list[str], current: str = "") -> World:
    """Connect to the other ranks, or return the world of an earlier call. `what` is the caller, for errors."""
    check_endpoints(what, endpoints, rank, current)
    key = (os.getpid(), rank, tuple(endpoints))
    if key not in _worlds:
        if not _worlds:
            _say_goodbye_at_exit()
        _worlds[key] = World(rank, list(endpoints))
    return _worlds[key]


def join_from_environment(what: str) -> World:
    """The world that the launcher's variables describe."""
    env = ParallelEnv()
    check_rank(f"{what}: PADDLE_TRAINER_ID", env.local_rank, env.nranks)
    endpoints = [endpoint for endpoint in env.trainer_endpoints if endpoint]
    if len(endpoints) != env.nranks:
        raise EnforceNotMet(
            f"{what}: {env.nranks} processes are to train together (PADDLE_TRAINERS_NUM), but PADDLE_TRAINER_ENDPOINTS "
            f"lists {len(endpoints)}: {', '.join(endpoints) or 'none'}"
        )
    return join(what, env.local_rank, endpoints, env.current_endpoint)


def _say_goodbye_at_exit() -> None:
    process = os.getpid()
    shown = sys.excepthook

    def remember(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _failed.append(f"{kind.__name__}: {first_line(error)}" if str(error) else kind.__name__)
        shown(kind, error, trace)

    def leave() -> None:
        if os.getpid() == process:
            _note_that_this_rank_leaves()
            for world in _worlds.values():
                world.leave(_failed[0] if _failed else "")

    sys.excepthook = remember
    atexit.register(leave)


def _note_that_this_rank_leaves() -> None:
    """For the launcher, which shows the rank that began to exit first; rank 0 exits after those it has notified."""
    if note := os.environ.get("REFLUID_LEAVING"):
        with contextlib.suppress(OSError), open(note, "w"):
            pass
