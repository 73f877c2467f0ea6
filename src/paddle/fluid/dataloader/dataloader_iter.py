"""paddle.fluid.dataloader.dataloader_iter: batches of a data set."""

from refluid.data.loading.data_loader import stack_fields as default_collate_fn

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
