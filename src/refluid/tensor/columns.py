"""Lists of tensors in a scope, by column: where Fluid's executor keeps feeds and fetches (paddle.fluid.core)."""

from __future__ import annotations

from refluid.core.errors import NotFoundError
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope


def get_variable_tensor(scope: Scope, var_name: str) -> LoDTensor:
    """The tensor of a variable that is in the scope."""
    found = scope.find_var(var_name)
    if found is None:
        raise NotFoundError(f"get_variable_tensor: the scope has no variable {var_name!r}")
    return found.get_tensor()


def set_feed_variable(scope: Scope, tensor: LoDTensor, var_name: str, index: int) -> None:
    """Put a tensor into a column of a list in the scope, which grows as needed."""
    columns = scope.var(var_name).get_lod_tensor_array()
    while len(columns) <= index:
        columns.append(LoDTensor())
    columns[index] = tensor


def get_fetch_variable(scope: Scope, var_name: str, index: int) -> LoDTensor:
    """The tensor in a column of a list in the scope."""
    found = scope.find_var(var_name)
    columns = [] if found is None else found.get_lod_tensor_array()
    if not 0 <= index < len(columns):
        raise NotFoundError(f"get_fetch_variable: {var_name!r} has no column {index}; it has {len(columns)}")
    return columns[index]
