"""Authentication by the job's token (REFLUID_JOB_TOKEN): challenge and response, the token is never sent.

Both sides prove that they know it: the trainer sends a nonce, the server answers with a proof and
with a nonce for the trainer's proof, which is valid once. Without a token proofs are made with the
empty one, so that a job that has one and a job that has none do not mix.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import threading
from collections import OrderedDict

_MOST_CHALLENGES = 1024


def token() -> bytes:
    return os.environ.get("REFLUID_JOB_TOKEN", "").encode()


def proof(role: str, *parts: str) -> str:
    """The proof of knowing the token."""
    return hmac.new(b"refluid" + token(), "\0".join((role, *parts)).encode(), hashlib.sha256).hexdigest()


def proves(given: object, role: str, *parts: str) -> bool:
    return isinstance(given, str) and hmac.compare_digest(given.encode(), proof(role, *parts).encode())


def job_fingerprint(endpoints: list[str]) -> str:
    """The same for all processes of a job: which servers it has."""
    return hashlib.sha256("\0".join(sorted(endpoints)).encode()).hexdigest()[:32]


class Challenges:
    """Nonces that a server has issued and that are not used yet; the oldest are forgotten."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, int] = OrderedDict()
        self._count = 0
        self._lock = threading.Lock()

    def new(self) -> str:
        challenge = secrets.token_hex(16)
        with self._lock:
            self._count += 1
            self._open[challenge] = self._count
            if len(self._open) > _MOST_CHALLENGES:
                self._open.popitem(last=False)
        return challenge

    def take(self, number: object) -> int | None:
        """The number of the nonce in the order of issue, or None if it is unknown; it is valid once."""
        with self._lock:
            return self._open.pop(number, None) if isinstance(number, str) else None
