"""paddle.fluid.dataloader.dataset: data sets by index."""

from refluid.data.loading.dataset import Dataset as Dataset

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
