"""paddle.fluid.incubate.fleet.utils.fleet_barrier_util: waiting for all workers."""

from refluid.distributed.fleet.hdfs import check_all_trainers_ready as check_all_trainers_ready
