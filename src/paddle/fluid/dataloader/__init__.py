"""paddle.fluid.dataloader: data sets and the batches that are drawn from them."""

from paddle.fluid.dataloader import (
    batch_sampler as batch_sampler,
    dataloader_iter as dataloader_iter,
    dataset as dataset,
)
from refluid.data.loading.dataset import BatchSampler as BatchSampler, Dataset as Dataset

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
