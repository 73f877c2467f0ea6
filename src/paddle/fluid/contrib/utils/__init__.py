"""paddle.fluid.contrib.utils: files in HDFS, and those of distributed tables."""

from paddle.fluid.contrib.utils import hdfs_utils as hdfs_utils, lookup_table_utils as lookup_table_utils
from refluid.contrib.hdfs import (
    HDFSClient as HDFSClient,
    multi_download as multi_download,
    multi_upload as multi_upload,
)
from refluid.distributed.persist.lookup_tables import (
    convert_dist_to_sparse_program as convert_dist_to_sparse_program,
    load_persistables_for_increment as load_persistables_for_increment,
    load_persistables_for_inference as load_persistables_for_inference,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
