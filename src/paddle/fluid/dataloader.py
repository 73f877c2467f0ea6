"""paddle.fluid.dataloader: data sets and the batches that are drawn from them."""

from refluid.data.loading.dataset import BatchSampler as BatchSampler, Dataset as Dataset
