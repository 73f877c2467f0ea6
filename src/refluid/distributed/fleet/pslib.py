"""Names of pslib, whose server is no part of any public release of Fluid: they can be imported, and say so on use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.core.errors import EnforceNotMet
from refluid.distributed.fleet.base import DistributedOptimizer, Fleet, Mode

if TYPE_CHECKING:
    from refluid.optim.optimizer import Optimizer


def _refusal(what: str) -> EnforceNotMet:
    return EnforceNotMet(
        f"{what}: pslib needs a server that no public release of Fluid has; use "
        "fluid.incubate.fleet.parameter_server.distribute_transpiler or fluid.incubate.fleet.collective"
    )


class PSLib(Fleet):
    """The fleet of pslib."""

    def __init__(self) -> None:
        super().__init__(Mode.PSLIB)

    def init(self, role_maker: object = None) -> None:
        raise _refusal("fleet.init")

    def distributed_optimizer(self, optimizer: Optimizer, strategy: object = None) -> DistributedOptimizer:
        raise _refusal("fleet.distributed_optimizer")


fleet = PSLib()


class DownpourOptimizer(DistributedOptimizer):
    """The optimizer of pslib."""

    def __init__(self, optimizer: Optimizer, strategy: object = None):
        raise _refusal("DownpourOptimizer")


class _OfPslib:
    def __init__(self, *args: object, **kwargs: object):
        raise _refusal(type(self).__name__)


class Server(_OfPslib):
    """Settings of a server."""


class Worker(_OfPslib):
    """Settings of a worker."""


class DownpourServer(_OfPslib):
    """Tables of a server."""


class DownpourWorker(_OfPslib):
    """Tables as a worker sees them."""


class DownpourSGD(_OfPslib):
    """Asynchronous descent with tables on servers."""


class DistributedAdam(_OfPslib):
    """Adam with tables on servers."""


class PaddlePSInstance(_OfPslib):
    """A server or a worker, by its number under MPI."""


class FileSystem(_OfPslib):
    """The files of pslib's servers."""


class OldFleet(_OfPslib):
    """The fleet of fluid.distributed, before fluid.incubate."""
