"""paddle.distributed.cloud_utils: what PaddleCloud says of a job."""

from refluid.distributed.launch.job import (
    get_cloud_cluster as get_cloud_cluster,
    get_cluster as get_cluster,
    get_trainers_num as get_trainers_num,
)
from refluid.distributed.launch.local import logger as logger

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
