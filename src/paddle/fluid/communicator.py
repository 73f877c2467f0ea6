"""paddle.fluid.communicator: a trainer's exchange with parameter servers."""

from refluid.distributed.communicator import Communicator as Communicator

__all__ = ["Communicator"]
