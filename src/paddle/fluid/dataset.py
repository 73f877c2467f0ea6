"""paddle.fluid.dataset: training from files of slots."""

from refluid.data.ctr.dataset import (
    DatasetBase as DatasetBase,
    DatasetFactory as DatasetFactory,
    InMemoryDataset as InMemoryDataset,
    QueueDataset as QueueDataset,
)
