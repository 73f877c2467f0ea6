"""The rank of this process among those that train together: environment variables that launchers set."""

from __future__ import annotations

import os

from refluid.core.errors import ArgumentError


class ParallelEnv:
    """The rank of this process in a training by several, as PADDLE_* environment variables tell it.

    The number of processes is PADDLE_TRAINERS_NUM; without it the number of PADDLE_TRAINER_ENDPOINTS, then
    PADDLE_NUM_TRAINERS or PADDLE_TRAINERS (seed programs of 1.4), then 1.

    Example:
        >>> env = fluid.dygraph.parallel.Env()
        >>> 0 <= env.local_rank < env.nranks
        True
    """

    def __init__(self) -> None:
        listed = os.environ.get("PADDLE_TRAINER_ENDPOINTS") or os.environ.get("PADDLE_WORKERS_IP_PORT_LIST") or ""
        self._trainer_endpoints = listed.split(",")
        self._nranks = _count_of_trainers(self._trainer_endpoints if listed else [])
        self._local_rank = whole_number("PADDLE_TRAINER_ID", "0")
        self._dev_id = _first_device()
        self._current_endpoint = os.environ.get("PADDLE_CURRENT_ENDPOINT", "")

    @property
    def nranks(self) -> int:
        """How many processes train."""
        return self._nranks

    @property
    def local_rank(self) -> int:
        """The rank of this one."""
        return self._local_rank

    @property
    def dev_id(self) -> int:
        """The device of this one."""
        return self._dev_id

    @property
    def current_endpoint(self) -> str:
        """Where this one listens."""
        return self._current_endpoint

    @property
    def trainer_endpoints(self) -> list[str]:
        """Where all of them listen."""
        return self._trainer_endpoints


Env = ParallelEnv  # 1.5


def whole_number(name: str, default: str) -> int:
    """An environment variable that holds a number."""
    text = os.environ.get(name) or default
    try:
        return int(text)
    except ValueError:
        raise ArgumentError(f"the environment variable {name} must be a number, got {text!r}") from None


def check_rank(what: str, rank: int, count: int) -> None:
    """Refuse a number that is not one of `count` processes."""
    if not 0 <= rank < count:
        raise ArgumentError(f"{what}: the trainer id must be from 0 to {count - 1}, as {count} train, got {rank}")


def check_endpoints(what: str, endpoints: list[str], rank: int, current: str = "") -> None:
    """Refuse a list of endpoints in which this process is not the one with number `rank`."""
    check_rank(what, rank, len(endpoints))
    for endpoint in endpoints:
        host, _, port = endpoint.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise ArgumentError(f"{what}: an endpoint is host:port, got {endpoint!r}")
    twice = next((endpoint for endpoint in endpoints if endpoints.count(endpoint) > 1), None)
    if twice is not None:
        raise ArgumentError(f"{what}: every trainer needs an endpoint of its own, got {twice} twice")
    if current and current not in endpoints:
        raise ArgumentError(f"{what}: this process listens at {current}, which is not among {', '.join(endpoints)}")
    if current and endpoints.index(current) != rank:
        raise ArgumentError(
            f"{what}: trainer {rank} listens at {endpoints[rank]}, but this process (trainer id {rank}) at {current}"
        )


def _count_of_trainers(endpoints: list[str]) -> int:
    if os.environ.get("PADDLE_TRAINERS_NUM"):
        return whole_number("PADDLE_TRAINERS_NUM", "1")
    if endpoints:
        return len(endpoints)
    if os.environ.get("PADDLE_NUM_TRAINERS"):
        return whole_number("PADDLE_NUM_TRAINERS", "1")
    trainers = os.environ.get("PADDLE_TRAINERS", "")  # a number in 1.4, addresses in launchers
    return int(trainers) if trainers.isdigit() else 1


def _first_device() -> int:
    chosen = (os.environ.get("FLAGS_selected_gpus") or "0").split(",")[0]
    if not chosen.strip().isdigit():
        raise ArgumentError(f"the environment variable FLAGS_selected_gpus must list devices, got {chosen!r}")
    return int(chosen)
