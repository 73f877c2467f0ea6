"""What a layer is called with, beside what its forward takes."""

from __future__ import annotations

import inspect
from typing import Any

from refluid.core.errors import EnforceNotMet
from refluid.ir.arithmetic import Arithmetic


class InputsError(EnforceNotMet, TypeError):
    """A layer called with inputs that its forward does not take."""


def _check_variables(layer: Any, inputs: tuple) -> None:
    """Refuse what is no variable in a call of a layer class of ours; a user's own may take anything."""
    if type(layer).__module__.startswith("refluid.nn."):
        first = next(iter(inspect.signature(layer.forward).parameters), "input")
        if inputs and not isinstance(inputs[0], Arithmetic):
            hint = "; wrap it with fluid.dygraph.to_variable" if hasattr(inputs[0], "__array__") else ""
            raise InputsError(
                f"{type(layer).__name__}: {first} must be a Variable, got {type(inputs[0]).__name__}{hint}"
            )


def check_inputs(layer: Any, inputs: tuple, kwargs: dict[str, Any]) -> None:
    """Refuse a call that does not fit the layer's forward."""
    signature = inspect.signature(layer.forward)
    try:
        signature.bind(*inputs, **kwargs)
    except TypeError as error:
        takes = ", ".join(str(one.replace(annotation=inspect.Parameter.empty)) for one in signature.parameters.values())
        given = ", ".join([*(type(one).__name__ for one in inputs), *(f"{name}=..." for name in kwargs)])
        name = type(layer).__name__
        raise InputsError(
            f"{name}: forward takes ({takes}), but the layer was called with ({given}): {error}"
        ) from None
    _check_variables(layer, inputs)
