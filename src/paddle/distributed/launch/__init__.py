"""paddle.distributed.launch: starts the processes of a training (python -m paddle.distributed.launch)."""

from paddle.distributed import cloud_utils as cloud_utils
from paddle.distributed.utils import (
    Cluster as Cluster,
    Hdfs as Hdfs,
    JobServer as JobServer,
    Pod as Pod,
    Trainer as Trainer,
    TrainerProc as TrainerProc,
    add_arguments as add_arguments,
    find_free_ports as find_free_ports,
    get_cluster as get_cluster,
    get_host_name_ip as get_host_name_ip,
    get_logger as get_logger,
    logger as logger,
    start_local_trainers as start_local_trainers,
    terminate_local_procs as terminate_local_procs,
    watch_local_trainers as watch_local_trainers,
)
from refluid.distributed.launch.arguments import parse as _parse_args, print_banner as _print_arguments
from refluid.distributed.launch.command import launch as launch
from refluid.distributed.launch.job import get_cluster_from_args as get_cluster_from_args
from refluid.distributed.launch.local import get_gpus as get_gpus

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
