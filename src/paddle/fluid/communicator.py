"""paddle.fluid.communicator: a trainer's exchange with parameter servers."""

from refluid.distributed.communicator import Communicator as Communicator

__all__ = ["Communicator"]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
