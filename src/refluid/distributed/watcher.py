"""The watcher: ranks write heartbeats to the store; one whose heartbeats stop is named, and waited for no longer.

Two threads, since calls of a store in a stopped process never return: one calls the store, the other checks the last
answers and ends this process when a rank is gone. The main thread has a short time first to raise the error where it
waits.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch.distributed as dist

BEAT = 0.5  # seconds between two heartbeats
GRACE = 2.0  # how long the main thread may take to end by itself


def lease() -> float:
    """Seconds without a heartbeat after which a rank is declared dead."""
    return float(os.environ.get("REFLUID_RANK_LEASE") or 8)


class Activity(NamedTuple):
    """What a rank does: the last collective that it has started."""

    what: str = "nothing yet"
    ring: int = -1
    call: int = -1  # which collective of the ring
    waiting: bool = False

    def __str__(self) -> str:
        if self.call < 0:
            return "computing, before the first exchange"
        return f"{'waiting in' if self.waiting else 'computing, after'} exchange {self.call}, {self.what}"


@dataclass
class Peer:
    """The known state of another rank."""

    rank: int
    place: str  # its endpoint
    count: int = -1
    heard: float = 0.0  # its last heartbeat, by the clock of this process
    activity: Activity = field(default_factory=Activity)
    calls: dict[int, int] = field(default_factory=dict)  # how many exchanges it has started, by ring
    left: str | None = None  # how it ended; "" if normally

    def __str__(self) -> str:
        return f"rank {self.rank} at {self.place}"


class Watcher:
    """Sends heartbeats for this rank and monitors the others.

    Args:
        store: a connection for this watcher alone.
        activity: returns what this rank does.
        calls: how many exchanges it has started, by ring.
    """

    def __init__(
        self,
        store: dist.Store,
        rank: int,
        endpoints: list[str],
        activity: Callable[[], Activity],
        calls: dict[int, int],
    ):
        self.rank = rank
        self.peers = [Peer(r, endpoint) for r, endpoint in enumerate(endpoints)]
        self.loss: str | None = None
        self._store = store
        self._activity = activity
        self._calls = calls
        self._left: str | None = None
        self._answered = time.monotonic()
        for peer in self.peers:
            peer.heard = self._answered
        self._beating = threading.Lock()
        self._round = threading.Condition()  # notified after every call of the store
        self._stopped = threading.Event()
        self._beat_once()
        self._threads = [
            threading.Thread(target=target, name=f"refluid-{target.__name__.strip('_')}", daemon=True)
            for target in (self._talk, self._judge)
        ]
        for thread in self._threads:
            thread.start()

    # -- calls of the store ----------------------------------------------------------------------------------------

    def _talk(self) -> None:
        while not self._stopped.wait(BEAT):
            try:
                self._beat_once()
            except (dist.DistError, RuntimeError):
                self._store_is_gone()
                return

    def _beat_once(self) -> None:
        with self._beating:
            self._exchange()
        with self._round:
            self._round.notify_all()

    def _exchange(self) -> None:
        own = self.peers[self.rank]
        own.count += 1
        self._store.set(
            f"beat/{self.rank}", json.dumps([own.count, self._left, list(self._calls.items()), *self._activity()])
        )
        others = [peer for peer in self.peers if peer.rank != self.rank]
        beats = self._store.multi_get([f"beat/{peer.rank}" for peer in others])
        now = time.monotonic()
        for peer, (count, left, calls, *activity) in zip(others, map(json.loads, beats), strict=True):
            if count != peer.count:
                peer.heard = now
            peer.count, peer.left, peer.calls, peer.activity = count, left, dict(calls), Activity(*activity)
        self._answered = now

    def _store_is_gone(self) -> None:
        """Its connection is closed: rank 0 has ended, by a crash unless it has reported its end."""
        if self.peers[0].left is None:
            self._lose(
                f"{self.peers[0]} has ended without a word (it was killed, or its machine is gone); it was last seen "
                f"{self.peers[0].activity}"
            )

    # -- detection ------------------------------------------------------------------------------------------------

    def _judge(self) -> None:
        last = time.monotonic()
        while not self._stopped.wait(BEAT):
            now = time.monotonic()
            if now - last > 4 * BEAT:  # this process itself was stopped: the others may have sent heartbeats meanwhile
                self._answered = now
                for peer in self.peers:
                    peer.heard = now
            last = now
            message = self._difference() or self._missing(now, lease()) or self._gone_early()
            if message is not None:
                self._lose(message)

    def _missing(self, now: float, patience: float) -> str | None:
        """The dead ranks, and the evidence."""
        for peer in self.peers:
            if peer.rank == self.rank:
                continue
            if peer.left:
                return f"{peer} has failed: {peer.left}"
            if peer.left is None and now - peer.heard > patience and now - self._answered < 3 * BEAT:
                return f"{peer} has not answered for {now - peer.heard:.0f} s; it was last seen {peer.activity}"
        if self.rank and self.peers[0].left is None and now - self._answered > patience:
            return (
                f"{self.peers[0]} has not answered for {now - self._answered:.0f} s; it was last seen "
                f"{self.peers[0].activity}"
            )
        return None

    def _lose(self, message: str) -> None:
        if self.loss is not None or self._stopped.is_set() or (self.rank == 0 and self._left is not None):
            return  # rank 0 that has finished waits for the others, however they end
        self.loss = self._told(message)
        time.sleep(GRACE)
        if not self._stopped.is_set():
            self._left = self.loss  # the next heartbeat reports it, so that rank 0 does not wait for this one
            if self._stopped.wait(2 * BEAT):
                return
            sys.stdout.flush()
            sys.stderr.write(f"\nError: {self.loss}\n")
            sys.stderr.flush()
            os._exit(1)

    # -- for the main thread ------------------------------------------------------------------------------------

    def explain(self, error: str) -> str:
        """The reason why a collective failed: a rank has left or is dead, or ranks do different things."""
        deadline = time.monotonic() + 3 + 2 * BEAT
        while time.monotonic() < deadline:
            if self.loss is not None:
                return self.loss
            reason = self._difference() or self._missing(time.monotonic(), 3.0) or self._gone_early()
            if reason is not None:
                return self._told(reason)
            with self._round:
                self._round.wait(BEAT)
        return self._told(f"the connection to another rank broke ({error})")

    def _told(self, message: str) -> str:
        return f"rank {self.rank}: {message}. This rank was {self._activity()}."

    def _difference(self) -> str | None:
        """Exchanges are counted, so two ranks that do different things under one number are out of step."""
        own = self._activity()
        for peer in self.peers:
            theirs = peer.activity
            if peer.rank != self.rank and (theirs.ring, theirs.call) == (own.ring, own.call) != (-1, -1):
                if theirs.what != own.what:
                    return f"{peer} does something else at the same step, {theirs.what}"
        return None

    def _gone_early(self) -> str | None:
        """A rank that has ended normally, and will not join the exchange that this one waits in."""
        own = self._activity()
        for peer in self.peers:
            if own.waiting and peer.rank != self.rank and peer.left == "" and peer.calls.get(own.ring, 0) <= own.call:
                return (
                    f"{peer} has ended after exchange {peer.activity.call}, {peer.activity.what}; all ranks need the "
                    "same number of steps"
                )
        return None

    def leave(self, failure: str = "") -> None:
        """Report the end of this rank. Rank 0, which holds the store, stays until the others have left as well."""
        self._left = failure
        self.peers[self.rank].left = failure
        with contextlib.suppress(dist.DistError, RuntimeError):  # the store may be gone already
            self._beat_once()
            if self.rank == 0:
                self._stay(GRACE if failure or self.loss else None)
        self._stopped.set()
        for thread in self._threads:  # one that is inside torch while Python ends would abort the process
            thread.join(timeout=GRACE)

    def _stay(self, longest: float | None) -> None:
        deadline = None if longest is None else time.monotonic() + longest
        while any(peer.left is None and time.monotonic() - peer.heard < lease() for peer in self.peers[1:]):
            if deadline is not None and time.monotonic() > deadline:
                return
            self._beat_once()
            time.sleep(BEAT / 10)
