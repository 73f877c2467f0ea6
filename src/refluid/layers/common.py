"""What layer functions share: activations by name, biases, sizes of inputs."""

from __future__ import annotations

from typing import Any

from refluid.core import dtypes, mode
from refluid.core.errors import ArgumentError
from refluid.core.naming import Appended, LayerName
from refluid.ops import registry
from refluid.ops.activation.in_place import IN_PLACE
from refluid.ops.math.elementwise import elementwise_add
from refluid.params.create import make_parameter


def activate(x: Any, act: Any, layer: LayerName) -> Any:
    """`act(x)`; `act` is None, the name of an activation, or {"type": name, **attributes}."""
    if act is None:
        return x
    attrs = dict(act) if isinstance(act, dict) else {"type": act}
    kind = attrs.pop("type", None)
    op = registry.find(kind) if isinstance(kind, str) else None
    if op is None or not op.inputs or op.inputs[0].name != "X" or op.outputs[0].name != "Out":
        raise ArgumentError(
            f"unknown activation {kind!r}; use the name of one, such as 'relu', 'tanh', 'sigmoid', 'softmax', or None"
        )
    return op(x, name=layer if mode.current.imperative else Appended(layer), **attrs)


def activate_own(x: Any, act: Any, layer: LayerName) -> Any:
    """`act(x)` for an x that nobody else reads, so that the imperative mode may write over it."""
    op = IN_PLACE.get(act) if isinstance(act, str) and mode.current.fuses else None
    return activate(x, act, layer) if op is None else op(x)


def over(x: Any, inplace: bool) -> dict[str, Any] | None:
    """Where the result of a function with `inplace` goes: to x itself, or to a new variable.

    The imperative mode makes a new one whatever it says, as Fluid's does: x may be a leaf whose gradient is asked for.
    """
    return {"Out": x} if inplace and not mode.current.takes_imperative else None


def add_bias(x: Any, attr: Any, layer: LayerName, size: int, axis: int = 1, dtype: Any = None) -> Any:
    """x plus a bias of `size` along `axis`; x itself if the attribute is False."""
    if attr is False:
        return x
    bias = make_parameter(attr, [size], dtype or x.dtype, is_bias=True, layer=layer)
    return elementwise_add(x, bias, axis=axis, name=layer)


def as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def pair(value: Any, n: int = 2) -> list[int]:
    """[v, v] for a number; a list as it is."""
    return list(value) if isinstance(value, list | tuple) else [value] * n


def dtype_attr(dtype: Any) -> int:
    """A dtype as operators keep it."""
    return int(dtypes.var_type(dtype))
