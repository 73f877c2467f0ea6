"""paddle.fluid.executor: running programs."""

from refluid.data.ctr.train import FetchHandler as FetchHandler
from refluid.executor.executor import Executor as Executor
from refluid.tensor.scope import (
    _fetch_var as _fetch_var,
    _switch_scope as _switch_scope,
    global_scope as global_scope,
    scope_guard as scope_guard,
)
