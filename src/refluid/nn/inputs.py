"""What a layer is called with, beside what its forward takes."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.ir.base_variable import BaseVariable

if TYPE_CHECKING:
    from refluid.nn.layer import Layer


class InputsError(ArgumentError):
    """A layer made with arguments, or called with inputs, that it does not take."""


def wrong_call(layer: Layer, inputs: tuple, kwargs: dict[str, Any]) -> InputsError | None:
    """What to say if a call does not fit the layer's forward; asked when the call has failed."""
    signature = inspect.signature(layer.forward)
    try:
        bound = signature.bind(*inputs, **kwargs)
    except TypeError as error:
        takes = ", ".join(
            str(param.replace(annotation=inspect.Parameter.empty)) for param in signature.parameters.values()
        )
        passed = ", ".join([*(type(value).__name__ for value in inputs), *(f"{name}=..." for name in kwargs)])
        name = type(layer).__name__
        return InputsError(f"{name}: forward takes ({takes}), but the layer was called with ({passed}): {error}")
    if _computes_alone(layer):
        for name, value in bound.arguments.items():
            if signature.parameters[name].default is inspect.Parameter.empty and not isinstance(value, BaseVariable):
                hint = "; wrap it with fluid.dygraph.to_variable" if hasattr(value, "__array__") else ""
                kind = type(value).__name__
                return InputsError(f"{type(layer).__name__}: {name} must be a Variable, got {kind}{hint}")
    return None


def _computes_alone(layer: Layer) -> bool:
    """Whether it is a layer class of ours that calls no layer of the user's, which may take anything."""
    return type(layer).__module__.startswith(("refluid.nn.", "refluid.alpha.nn.")) and not layer.sublayers()
