"""paddle.fluid.default_scope_funcs: a stack of scopes."""

from refluid.tensor.scope_stack import (
    enter_local_scope as enter_local_scope,
    find_var as find_var,
    get_cur_scope as get_cur_scope,
    leave_local_scope as leave_local_scope,
    scoped_function as scoped_function,
    var as var,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
