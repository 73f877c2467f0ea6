"""paddle.fluid.dataloader.batch_sampler: batches of indices."""

from refluid.data.loading.dataset import BatchSampler as BatchSampler

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
