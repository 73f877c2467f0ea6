"""paddle.fluid.dygraph.dygraph_to_static.convert_call_func: calls inside translated functions."""

from refluid.jit.names import is_builtin as is_builtin, is_paddle_func as is_paddle_func
from refluid.jit.runtime.call import call as convert_call

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
