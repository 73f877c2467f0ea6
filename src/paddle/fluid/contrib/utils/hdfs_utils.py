"""paddle.fluid.contrib.utils.hdfs_utils: files in HDFS."""

from refluid.contrib.hdfs import (
    HDFSClient as HDFSClient,
    multi_download as multi_download,
    multi_upload as multi_upload,
)
