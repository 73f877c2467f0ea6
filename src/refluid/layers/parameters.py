"""Parameters and other variables that programs create themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core import dtypes, unique_name
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import ints
from refluid.layers.helper import LayerHelper
from refluid.layers.mixed import stopped
from refluid.params.attr import AttrLike, ParamAttr
from refluid.params.create import make_parameter
from refluid.params.initializer import Constant, Initializer
from refluid.params.state import make_state


def create_parameter(
    shape: Sequence[int],
    dtype: Dtype,
    name: str | None = None,
    attr: AttrLike = None,
    is_bias: bool = False,
    default_initializer: Initializer | None = None,
) -> BaseVariable:
    """A parameter for a layer of one's own.

    Args:
        shape: its shape.
        dtype: its dtype.
        name: its name; with attr, what its name begins with.
        attr: its settings.
        is_bias: 0 at first instead of random, unless an initializer is given.
        default_initializer: the initializer if attr has none.

    Returns:
        A parameter of the program or of the imperative mode.

    Example:
        >>> fluid.layers.create_parameter([784, 200], "float32").shape
        (784, 200)
    """
    attr = ParamAttr(name=name) if attr is None else attr
    sizes = ints("create_parameter: shape", shape)
    layer = LayerName("create_parameter", name)
    return make_parameter(attr, sizes, dtype, is_bias=is_bias, default=default_initializer, layer=layer)


def create_global_var(
    shape: Sequence[int],
    value: float,
    dtype: Dtype,
    persistable: bool = False,
    force_cpu: bool = False,
    name: str | None = None,
) -> Any:
    """A variable of the global block that the startup program fills with a value.

    Args:
        shape: its shape.
        value: a number.
        dtype: its dtype.
        persistable: it keeps its value between runs.
        force_cpu: kept as an attribute of the operator; the value is where it is read.

    Returns:
        A variable; no gradient flows through it.

    Example:
        >>> fluid.layers.create_global_var([1], 0.5, "float32", persistable=True).persistable
        True
    """
    sizes = ints("create_global_var: shape", shape)
    var = stopped(make_state(sizes, dtype, Constant(float(value), force_cpu), name=name))
    var.persistable = persistable
    return var


def create_tensor(dtype: Dtype, name: str | None = None, persistable: bool = False) -> BaseVariable:
    """A variable without a value, for `assign(x, output=...)` and the like to write to.

    Args:
        dtype: its dtype.
        persistable: it keeps its value between runs.

    Returns:
        A variable.

    Example:
        >>> total = fluid.layers.create_tensor("float32")
        >>> fluid.layers.assign(np.array([1.0, 2.0], "float32"), output=total).shape
        (2,)
    """
    kind = dtypes.var_type(dtype)
    name = unique_name.generate("create_tensor") if name is None else name
    return LayerHelper("create_tensor", name=name).create_variable(name=name, dtype=kind, persistable=persistable)
