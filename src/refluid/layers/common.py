"""What layer functions share: activations by name, biases, sizes of inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from refluid.core import dtypes, mode
from refluid.core.errors import ArgumentError
from refluid.core.mode import per_mode
from refluid.core.naming import Appended, LayerName
from refluid.core.types import Dtype, Ints
from refluid.ir.base_variable import BaseVariable
from refluid.ops import registry
from refluid.ops.activation.in_place import IN_PLACE
from refluid.ops.math.elementwise import elementwise_add
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter

Number = TypeVar("Number", int, float)

ShapeLike: TypeAlias = Sequence[int | BaseVariable] | BaseVariable
"""A shape: a list of ints and one-element int variables, or one int variable that holds all sizes."""

Padding: TypeAlias = Ints | Sequence[Sequence[int]] | str
"""The padding of a window: see conv2d."""

Activation: TypeAlias = str | Mapping[str, Any] | None
"""An activation: its name, {"type": name, **attributes}, or None for none."""


def activate(x: BaseVariable, act: Activation, layer: LayerName) -> BaseVariable:
    """`act(x)`; x itself without an activation."""
    if act is None:
        return x
    attrs: dict[str, Any] = dict(act) if isinstance(act, Mapping) else {"type": act}
    kind = attrs.pop("type", None)
    op = registry.find(kind) if isinstance(kind, str) else None
    if op is None or not op.inputs or op.inputs[0].name != "X" or op.outputs[0].name != "Out":
        raise ArgumentError(
            f"{layer.layer_type}: act must be the name of an activation, such as 'relu', 'tanh', 'sigmoid' or "
            f"'softmax', or None, got {kind!r}"
        )
    return op(x, name=Appended(layer), **attrs)


@per_mode
def activate_own(x: BaseVariable, act: Activation, layer: LayerName) -> BaseVariable:
    """`act(x)` for an x that nothing else reads, so that the imperative mode may overwrite it."""
    return activate(x, act, layer)


@activate_own.imperative
def activate_in_place(x: BaseVariable, act: Activation, layer: LayerName) -> BaseVariable:
    """`act(x)`, which overwrites x where it can."""
    if act is None:
        return x
    op = IN_PLACE.get(act) if isinstance(act, str) else None
    return activate(x, act, layer) if op is None else op(x)


activate_own.tracing(activate)  # programs hold no operators that overwrite their inputs


def over(x: BaseVariable, inplace: bool) -> dict[str, Any] | None:
    """Where the result of a function with `inplace` goes: to x itself, or to a new variable."""
    return mode.current().overwritten(x) if inplace else None


def add_bias(
    x: BaseVariable, attr: AttrLike, layer: LayerName, size: int, axis: int = 1, dtype: Dtype | None = None
) -> BaseVariable:
    """x plus a bias of `size` along `axis`; x itself if the attribute is False."""
    if attr is False:
        return x
    bias = make_parameter(attr, [size], dtype or x.dtype, is_bias=True, layer=layer)
    return elementwise_add(x, bias, axis=axis, name=layer)


def as_list(value: object) -> list[Any]:
    """A list or tuple as a list; [value] for anything else."""
    return list(value) if isinstance(value, list | tuple) else [value]


def pair(value: Number | Sequence[Number], n: int = 2) -> list[Number]:
    """[value] * n for a number; a list as it is."""
    return list(value) if isinstance(value, list | tuple) else [value] * n  # type: ignore[list-item]


def dtype_attr(dtype: Dtype) -> int:
    """A dtype as operators keep it."""
    return int(dtypes.var_type(dtype))
