"""paddle.fluid.layers.collective: collectives as layers."""

from refluid.distributed.layers import (
    allreduce as _allreduce,
    broadcast as _broadcast,
    c_allgather as _c_allgather,
    c_allreduce as _c_allreduce,
    c_broadcast as _c_broadcast,
    c_reducescatter as _c_reducescatter,
    c_sync_calc_stream as _c_sync_calc_stream,
    c_sync_comm_stream as _c_sync_comm_stream,
)

__all__ = [
    "_allreduce",
    "_broadcast",
    "_c_allgather",
    "_c_allreduce",
    "_c_broadcast",
    "_c_reducescatter",
    "_c_sync_calc_stream",
    "_c_sync_comm_stream",
]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
