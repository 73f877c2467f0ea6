"""paddle.io: reading data, as 2.0-alpha spells it."""

from refluid.data.loading.data_loader import DataLoader as DataLoader
from refluid.data.loading.dataset import BatchSampler as BatchSampler, Dataset as Dataset
