"""paddle.fluid.dygraph.parallel_helper: what dygraph.parallel is made with."""

from refluid.distributed.parallel_helper import (
    broadcast_parameters as _broadcast_parameters,
    init_parallel_ctx as _init_parallel_ctx,
    is_data_parallel_mode as _is_data_parallel_mode,
    set_parallel_ctx as _set_parallel_ctx,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
