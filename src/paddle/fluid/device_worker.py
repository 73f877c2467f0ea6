"""paddle.fluid.device_worker: what runs the batches of a data set."""

from refluid.distributed.trainers import (
    DeviceWorker as DeviceWorker,
    DeviceWorkerFactory as DeviceWorkerFactory,
    DownpourSGD as DownpourSGD,
    DownpourSGDOPT as DownpourSGDOPT,
    Hogwild as Hogwild,
    Section as Section,
)

__all__ = ["DeviceWorker", "DownpourSGD", "DownpourSGDOPT", "Hogwild", "Section"]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
