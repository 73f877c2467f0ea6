"""paddle.distributed.utils: jobs of several processes, for launchers."""

from refluid.distributed.launch.job import (
    Cluster as Cluster,
    Hdfs as Hdfs,
    JobServer as JobServer,
    Pod as Pod,
    Trainer as Trainer,
    get_cluster as get_cluster,
)
from refluid.distributed.launch.local import (
    TrainerProc as TrainerProc,
    add_arguments as add_arguments,
    find_free_ports as find_free_ports,
    get_host_name_ip as get_host_name_ip,
    get_logger as get_logger,
    logger as logger,
    start_local_trainers as start_local_trainers,
    terminate_local_procs as terminate_local_procs,
    watch_local_trainers as watch_local_trainers,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
