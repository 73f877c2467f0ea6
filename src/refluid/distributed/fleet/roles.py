"""Role makers: whether this process is a worker or a server, and how many of each there are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from refluid.core.errors import ArgumentError, EnforceNotMet, NotFoundError
from refluid.distributed.environment import check_rank, whole_number
from refluid.distributed.ring import Ring
from refluid.distributed.world import join


class Role:
    WORKER = 1
    SERVER = 2


class NoBarrier:
    """The barrier of a single process: it returns at once."""

    def barrier(self) -> None:
        pass

    barrier_all = barrier

    def all_reduce(self, obj: object) -> Any:
        return obj

    def all_gather(self, obj: object) -> list[Any]:
        return [obj]


class RoleMakerBase:
    """Base of role makers. What is not known before `generate_role` is computed on first use."""

    def __init__(self) -> None:
        self._worker_endpoints: list[str] = []
        self._server_endpoints: list[str] = []
        self._role_is_generated = False
        self._role = Role.WORKER
        self._current_id = 0
        self._rings: dict[tuple[str, ...], Ring] = {}

    def generate_role(self) -> None:
        """Set the role of this process."""
        self._role_is_generated = True

    def _generated(self) -> RoleMakerBase:
        if not self._role_is_generated:
            self.generate_role()
        return self

    def is_worker(self) -> bool:
        return self._generated()._role == Role.WORKER

    def is_server(self) -> bool:
        return self._generated()._role == Role.SERVER

    def is_first_worker(self) -> bool:
        return self.is_worker() and self._current_id == 0

    def worker_num(self) -> int:
        return len(self._generated()._worker_endpoints)

    def server_num(self) -> int:
        return len(self._generated()._server_endpoints)

    def worker_index(self) -> int:
        return self._generated()._current_id

    def server_index(self) -> int:
        return self._generated()._current_id

    def get_trainer_endpoints(self) -> list[str]:
        return self._generated()._worker_endpoints

    def get_pserver_endpoints(self) -> list[str]:
        return self._generated()._server_endpoints

    def to_string(self) -> str:
        role = "worker" if self.is_worker() else "server"
        return (
            f"{role} {self._current_id}, worker_endpoints: {self._worker_endpoints}, "
            f"server_endpoints: {self._server_endpoints}"
        )

    # -- between workers ----------------------------------------------------------------------------------------

    def all_gather(self, input: Any) -> list[Any]:
        """The `input` (a number) of every worker."""
        ring = self._ring(self.get_trainer_endpoints(), self._current_id)
        if ring is None:
            return [input]
        gathered = [torch.zeros(1, dtype=torch.float64) for _ in range(ring.size)]
        ring.all_gather(torch.tensor([float(input)], dtype=torch.float64), gathered).wait()
        return [type(input)(one.item()) for one in gathered]

    def all_reduce_worker(self, input: object, output: Any, mode: str = "sum") -> None:
        """Put the sum (min, max) of every worker's `input`, a row of numbers, into `output`."""
        if mode not in ("sum", "min", "max"):
            raise ArgumentError(f"all_reduce_worker: mode must be sum, min or max, got {mode!r}")
        ring = self._ring(self.get_trainer_endpoints(), self._current_id)
        total = torch.from_numpy(np.array(input, copy=True))
        if ring is not None:
            ring.all_reduce(total, mode).wait()
        output[:] = total.numpy() if isinstance(output, np.ndarray) else total.tolist()

    def barrier_worker(self) -> None:
        """Wait until every worker is here."""
        ring = self._ring(self.get_trainer_endpoints(), self._current_id) if self.is_worker() else None
        if ring is not None:
            ring.barrier()

    def barrier_all(self) -> None:
        """Wait until every worker and every server is here."""
        everybody = [*self.get_trainer_endpoints(), *self.get_pserver_endpoints()]
        number = self._current_id + (0 if self.is_worker() else len(self.get_trainer_endpoints()))
        ring = self._ring(everybody, number)
        if ring is not None:
            ring.barrier()

    def _ring(self, endpoints: Sequence[str], rank: int) -> Ring | None:
        """The ring of these endpoints; None where this process is alone."""
        if len(endpoints) < 2:
            return None
        key = tuple(endpoints)
        if key not in self._rings:
            self._rings[key] = Ring(join(type(self).__name__, rank, list(endpoints)), _RING)
        return self._rings[key]


_RING = 1000  # of role makers, apart from the rings of programs


class PaddleCloudRoleMaker(RoleMakerBase):
    """Roles by the variables that launchers set.

    Args:
        is_collective: all processes are workers (PADDLE_TRAINER_ID, PADDLE_TRAINER_ENDPOINTS; one worker without
            them). Else there are servers too: PADDLE_PSERVERS_IP_PORT_LIST, PADDLE_TRAINERS_NUM, TRAINING_ROLE
            ("TRAINER" or "PSERVER"), and PADDLE_TRAINER_ID, or POD_IP and PADDLE_PORT of a server.
    """

    def __init__(self, is_collective: bool = False):
        super().__init__()
        self._is_collective = is_collective
        self._trainers_num = 0

    def generate_role(self) -> None:
        if self._role_is_generated:
            return
        if self._is_collective:
            self._of_workers()
        else:
            self._of_workers_and_servers()
        self._role_is_generated = True

    def _of_workers(self) -> None:
        self._current_id = whole_number("PADDLE_TRAINER_ID", "0")
        endpoints = os.environ.get("PADDLE_TRAINER_ENDPOINTS") or "127.0.0.1:6170"
        self._worker_endpoints = endpoints.split(",")
        self._trainers_num = len(self._worker_endpoints)
        check_rank("PaddleCloudRoleMaker: PADDLE_TRAINER_ID", self._current_id, self._trainers_num)

    def _of_workers_and_servers(self) -> None:
        self._server_endpoints = _needed("PADDLE_PSERVERS_IP_PORT_LIST").split(",")
        _needed("PADDLE_TRAINERS_NUM")
        self._trainers_num = whole_number("PADDLE_TRAINERS_NUM", "1")
        self._worker_endpoints = [e for e in os.environ.get("PADDLE_TRAINER_ENDPOINTS", "").split(",") if e]
        self._role, self._current_id = _role_and_number(self._server_endpoints)

    def worker_num(self) -> int:
        self._generated()
        return self._trainers_num


class GeneralRoleMaker(RoleMakerBase):
    """Roles by PADDLE_PSERVERS_IP_PORT_LIST, PADDLE_TRAINER_ENDPOINTS and TRAINING_ROLE.

    Processes meet at the first endpoint, so hdfs_name, hdfs_ugi, path and http_ip_port, the rendezvous of Fluid, are
    not needed; init_timeout_seconds and run_timeout_seconds are FLAGS_rpc_deadline and the watcher's work.
    """

    def __init__(self, **kwargs: object):
        super().__init__()
        known = {
            "hdfs_name", "hdfs_ugi", "path", "iface", "prefix", "init_timeout_seconds", "run_timeout_seconds",
            "http_ip_port",
        }  # fmt: skip
        unknown = kwargs.keys() - known
        if unknown:
            raise ArgumentError(f"GeneralRoleMaker: unknown arguments {', '.join(sorted(unknown))}")

    def generate_role(self) -> None:
        if self._role_is_generated:
            return
        self._server_endpoints = _needed("PADDLE_PSERVERS_IP_PORT_LIST").split(",")
        self._worker_endpoints = _needed("PADDLE_TRAINER_ENDPOINTS").split(",")
        self._role, self._current_id = _role_and_number(self._server_endpoints)
        self._role_is_generated = True

    def get_local_endpoint(self) -> str:
        self._generated()
        return (self._worker_endpoints if self.is_worker() else self._server_endpoints)[self._current_id]


class UserDefinedRoleMaker(RoleMakerBase):
    """Roles as arguments of the program."""

    def __init__(
        self,
        current_id: int = 0,
        role: int = Role.WORKER,
        worker_num: int = 0,
        server_endpoints: list[str] | None = None,
    ):
        super().__init__()
        self._server_endpoints = _check_list("UserDefinedRoleMaker: server_endpoints", server_endpoints)
        if role not in (Role.WORKER, Role.SERVER):
            raise ArgumentError(f"UserDefinedRoleMaker: role must be Role.WORKER or Role.SERVER, got {role!r}")
        if not isinstance(worker_num, int) or worker_num <= 0:
            raise ArgumentError(f"UserDefinedRoleMaker: worker_num must be a number above 0, got {worker_num!r}")
        most = len(self._server_endpoints) if role == Role.SERVER else None
        self._current_id = _check_id("UserDefinedRoleMaker", current_id, most)
        self._role = role
        self._worker_num = worker_num

    def worker_num(self) -> int:
        return self._worker_num


class UserDefinedCollectiveRoleMaker(RoleMakerBase):
    """Workers as listed by the program."""

    def __init__(self, current_id: int = 0, worker_endpoints: list[str] | None = None):
        super().__init__()
        self._worker_endpoints = _check_list("UserDefinedCollectiveRoleMaker: worker_endpoints", worker_endpoints)
        self._current_id = _check_id("UserDefinedCollectiveRoleMaker", current_id, len(self._worker_endpoints))


class MPIRoleMaker(RoleMakerBase):
    """Roles by MPI, which 1.8.5 uses through the package mpi4py."""

    def __init__(self) -> None:
        raise EnforceNotMet(
            f"{type(self).__name__}: MPI jobs are not supported; start the program with paddle.distributed.launch "
            "or launch_ps and use PaddleCloudRoleMaker"
        )


class MPISymetricRoleMaker(MPIRoleMaker):
    """One worker and one server per node, by MPI."""


def _needed(name: str) -> str:
    if not os.environ.get(name):
        raise NotFoundError(
            f"the environment variable {name} is not set; launch_ps sets it, and "
            "PaddleCloudRoleMaker(is_collective=True) is for trainings without servers"
        )
    return os.environ[name]


def _role_and_number(servers: list[str]) -> tuple[int, int]:
    role = _needed("TRAINING_ROLE")
    if role not in ("TRAINER", "PSERVER"):
        raise ArgumentError(f"the environment variable TRAINING_ROLE must be TRAINER or PSERVER, got {role!r}")
    if role == "TRAINER":
        _needed("PADDLE_TRAINER_ID")
        return Role.WORKER, whole_number("PADDLE_TRAINER_ID", "0")
    if os.environ.get("PADDLE_PSERVER_ID"):
        return Role.SERVER, whole_number("PADDLE_PSERVER_ID", "0")
    own = f"{_needed('POD_IP')}:{_needed('PADDLE_PORT')}"
    if own not in servers:
        raise ArgumentError(
            f"this server listens at {own} (POD_IP, PADDLE_PORT), which is not among {', '.join(servers)}"
        )
    return Role.SERVER, servers.index(own)


def _check_list(what: str, endpoints: object) -> list[str]:
    if not isinstance(endpoints, list) or not all(isinstance(one, str) for one in endpoints):
        raise ArgumentError(f"{what} must be a list of str, got {endpoints!r}")
    if not endpoints or len(set(endpoints)) != len(endpoints):
        raise ArgumentError(f"{what} must be one or more, each once, got {endpoints!r}")
    return endpoints


def _check_id(what: str, current_id: object, count: int | None) -> int:
    if not isinstance(current_id, int) or current_id < 0 or (count is not None and current_id >= count):
        raise ArgumentError(f"{what}: current_id must be a number from 0 to {count and count - 1}, got {current_id!r}")
    return current_id
