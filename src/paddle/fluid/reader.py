"""paddle.fluid.reader: loaders."""

from refluid.data.loading.data_loader import (
    DataLoader as DataLoader,
    DatasetLoader as DatasetLoader,
    stack_fields as default_collate_fn,
)
from refluid.data.loading.generator import GeneratorLoader as DygraphGeneratorLoader, GeneratorLoader as GeneratorLoader
from refluid.data.loading.py_reader import PyReader as PyReader

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
