"""paddle.fluid.executor: running programs."""

from refluid.data.ctr.train import FetchHandler as FetchHandler
from refluid.executor.compatible import (
    _as_lodtensor as _as_lodtensor,
    as_numpy as as_numpy,
    check_feed_shape_type as check_feed_shape_type,
    dimension_is_compatible_with as dimension_is_compatible_with,
    dtype_is_compatible_with as dtype_is_compatible_with,
    has_feed_operators as has_feed_operators,
    has_fetch_operators as has_fetch_operators,
)
from refluid.executor.executor import Executor as Executor
from refluid.tensor.scope import (
    _fetch_var as _fetch_var,
    _switch_scope as _switch_scope,
    global_scope as global_scope,
    scope_guard as scope_guard,
)
from refluid.saving.predictor_config import AnalysisConfig as InferAnalysisConfig, NativeConfig as InferNativeConfig

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
