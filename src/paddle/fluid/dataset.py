"""paddle.fluid.dataset: training from files of slots."""

from refluid.data.ctr.base import (
    DatasetBase as DatasetBase,
    FileInstantDataset as FileInstantDataset,
    QueueDataset as QueueDataset,
)
from refluid.data.ctr.dataset import DatasetFactory as DatasetFactory
from refluid.data.ctr.memory import BoxPSDataset as BoxPSDataset, InMemoryDataset as InMemoryDataset

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
