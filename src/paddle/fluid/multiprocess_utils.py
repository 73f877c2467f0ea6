"""paddle.fluid.multiprocess_utils: what happens when a process ends."""

from refluid.core.cleanup import (
    CleanupFuncRegistrar as CleanupFuncRegistrar,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
