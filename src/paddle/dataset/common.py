"""paddle.dataset.common: where data sets live and how they get there."""

from refluid.data.datasets.common import (
    DATA_HOME as DATA_HOME,
    cluster_files_reader as cluster_files_reader,
    download as download,
    md5file as md5file,
    must_mkdirs as must_mkdirs,
    split as split,
)
from refluid.data.datasets.fetching import fetch_all as fetch_all
from refluid.data.recordio.records import convert as convert

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
