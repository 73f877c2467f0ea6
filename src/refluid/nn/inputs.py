"""What a layer is called with, beside what its forward takes."""

from __future__ import annotations

import inspect
from typing import Any

from refluid.core.errors import EnforceNotMet


class InputsError(EnforceNotMet, TypeError):
    """A layer called with inputs that its forward does not take."""


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
