"""paddle.fluid.reader: loaders."""

from refluid.data.loading.data_loader import DataLoader as DataLoader, stack_fields as default_collate_fn
from refluid.data.loading.py_reader import PyReader as PyReader
