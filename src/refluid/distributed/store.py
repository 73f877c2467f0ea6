"""The store in which ranks meet: a TCPStore that rank 0 holds at its endpoint, and nowhere else."""

from __future__ import annotations

import contextlib
import socket
import time
from datetime import timedelta

import torch.distributed as dist

from refluid.core.errors import EnforceNotMet


def split_endpoint(endpoint: str) -> tuple[str, int]:
    host, _, port = endpoint.rpartition(":")
    return host, int(port)


def serve(endpoint: str, patience: float) -> dist.TCPStore:
    """The store itself, in this process. The socket is bound here, since TCPStore would take every address."""
    host, port = split_endpoint(endpoint)
    listener = listen(host, port)
    return dist.TCPStore(
        host, port, None, True, timedelta(seconds=patience), wait_for_workers=False, master_listen_fd=listener.detach()
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at one address; the error names the caller and the reason."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise EnforceNotMet(f"{host}:{port}: this host name is not known here ({error.strerror})") from None
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a job may follow another one at once
    try:
        listener.bind(address)
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise EnforceNotMet(
            f"{host}:{port}: this process cannot listen there ({error.strerror}); another process may hold the port, "
            "or the address may be another machine's"
        ) from None
    return listener


def connect(endpoint: str, patience: float) -> dist.TCPStore:
    """A connection to the store that rank 0 holds; it may come up to `patience` seconds later than this process."""
    host, port = split_endpoint(endpoint)
    deadline = time.monotonic() + patience
    while not _reachable(host, port):
        if time.monotonic() > deadline:
            raise EnforceNotMet(f"rank 0 at {endpoint} was not there within {patience:g} s; was it started?")
        time.sleep(0.05)
    try:
        return dist.TCPStore(host, port, None, False, timedelta(seconds=patience), wait_for_workers=False)
    except (dist.DistError, RuntimeError) as error:
        raise EnforceNotMet(f"what listens at {endpoint} is not rank 0 of a training ({first_line(error)})") from None


def first_line(error: BaseException) -> str:
    """The message of a torch error, without its C++ stack trace."""
    return str(error).strip().split("\n")[0]


def _reachable(host: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=2):
        return True
    return False
