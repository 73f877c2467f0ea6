"""paddle.fluid.incubate.fleet.utils.fleet_barrier_util: waiting for all workers."""

from refluid.distributed.fleet.hdfs import check_all_trainers_ready as check_all_trainers_ready

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
