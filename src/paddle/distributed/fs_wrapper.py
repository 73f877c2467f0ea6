"""paddle.distributed.fs_wrapper: file systems that checkpoints lie in."""

from refluid.saving.file_system import FS as FS, LocalFS as LocalFS
from refluid.saving.hadoop_file_system import BDFS as BDFS

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
