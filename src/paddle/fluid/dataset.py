"""paddle.fluid.dataset: training from files of slots."""

from refluid.data.ctr.dataset import (
    DatasetBase as DatasetBase,
    DatasetFactory as DatasetFactory,
    InMemoryDataset as InMemoryDataset,
    QueueDataset as QueueDataset,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
