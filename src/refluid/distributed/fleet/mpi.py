"""MPIHelper: numbers and names under MPI, where mpi4py is installed."""

from __future__ import annotations

import socket

from refluid.core.errors import NotFoundError


class MPIHelper:
    """What MPI tells of this process."""

    def __init__(self) -> None:
        try:
            from mpi4py import MPI
        except ImportError:
            raise NotFoundError("MPIHelper needs the package mpi4py") from None
        self.MPI = MPI
        self.comm = MPI.COMM_WORLD

    def get_rank(self) -> int:
        return self.comm.Get_rank()

    def get_size(self) -> int:
        return self.comm.Get_size()

    def get_hostname(self) -> str:
        return socket.gethostname()

    def get_ip(self) -> str:
        return socket.gethostbyname(self.get_hostname())

    def finalize(self) -> None:
        self.MPI.Finalize()
