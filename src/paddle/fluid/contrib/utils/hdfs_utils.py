"""paddle.fluid.contrib.utils.hdfs_utils: files in HDFS."""

from refluid.contrib.hdfs import (
    HDFSClient as HDFSClient,
    getfilelist as getfilelist,
    multi_download as multi_download,
    multi_upload as multi_upload,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
