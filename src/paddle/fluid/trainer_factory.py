"""paddle.fluid.trainer_factory: trainers made by name."""

from refluid.data.ctr.train import FetchHandler as FetchHandler
from refluid.distributed.trainers import (
    FetchHandlerMonitor as FetchHandlerMonitor,
    TrainerFactory as TrainerFactory,
)

__all__ = ["FetchHandler", "FetchHandlerMonitor", "TrainerFactory"]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
