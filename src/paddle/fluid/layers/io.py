"""paddle.fluid.layers.io: inputs of programs."""

from refluid.data.loading.decorators import Preprocessor as Preprocessor, batch as batch, shuffle as shuffle
from refluid.data.loading.py_reader import (
    create_py_reader_by_data as create_py_reader_by_data,
    double_buffer as double_buffer,
    py_reader as py_reader,
    random_data_generator as random_data_generator,
    read_file as read_file,
)
from refluid.distributed.server.layers import (
    BlockGuardServ as BlockGuardServ,
    ListenAndServ as ListenAndServ,
    Recv as Recv,
    Send as Send,
)
from refluid.layers.data import data as data
from refluid.saving.layer import load as load
from refluid.saving.record_files import open_files as open_files

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
