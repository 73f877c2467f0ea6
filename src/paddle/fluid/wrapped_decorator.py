"""paddle.fluid.wrapped_decorator: decorators that keep signatures."""

from refluid.core.decorators import (
    signature_safe_contextmanager as signature_safe_contextmanager,
    wrap_decorator as wrap_decorator,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
