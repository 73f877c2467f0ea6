"""paddle.fluid.core_avx: paddle.fluid.core under the name of its library."""

from paddle.fluid.core import *  # noqa: F403
from paddle.fluid.core import (
    _Scope as _Scope,
    _dygraph_debug_level as _dygraph_debug_level,
    _is_dygraph_debug_enabled as _is_dygraph_debug_enabled,
    _is_program_version_supported as _is_program_version_supported,
    _set_eager_deletion_mode as _set_eager_deletion_mode,
    _set_fuse_parameter_group_size as _set_fuse_parameter_group_size,
    _set_fuse_parameter_memory_size as _set_fuse_parameter_memory_size,
    _switch_tracer as _switch_tracer,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
