"""What a layer is called with, beside what its forward takes."""

from __future__ import annotations

import inspect
from typing import Any

from refluid.core.callsite import user_site
from refluid.core.errors import EnforceNotMet
from refluid.ir.arithmetic import Arithmetic


class InputsError(EnforceNotMet, TypeError):
    """A layer made with arguments, or called with inputs, that it does not take."""


def check_inputs(layer: Any, inputs: tuple, kwargs: dict[str, Any]) -> None:
    """Refuse a call that does not fit the layer's forward."""
    signature = inspect.signature(layer.forward)
    try:
        bound = signature.bind(*inputs, **kwargs)
    except TypeError as error:
        takes = ", ".join(str(one.replace(annotation=inspect.Parameter.empty)) for one in signature.parameters.values())
        given = ", ".join([*(type(one).__name__ for one in inputs), *(f"{name}=..." for name in kwargs)])
        raise _refused(
            f"{type(layer).__name__}: forward takes ({takes}), but the layer was called with ({given}): {error}"
        ) from None
    if _computes_alone(layer):
        for name, value in bound.arguments.items():
            if signature.parameters[name].default is inspect.Parameter.empty:
                _check_variable(layer, name, value)


def _computes_alone(layer: Any) -> bool:
    """Whether it is a layer class of ours that calls no layer of the user's, which may take anything."""
    return type(layer).__module__.startswith(("refluid.nn.", "refluid.alpha.nn.")) and not layer.sublayers()


def _check_variable(layer: Any, name: str, value: Any) -> None:
    if not isinstance(value, Arithmetic):
        hint = "; wrap it with fluid.dygraph.to_variable" if hasattr(value, "__array__") else ""
        raise _refused(f"{type(layer).__name__}: {name} must be a Variable, got {type(value).__name__}{hint}")


def _refused(words: str) -> InputsError:
    site = user_site()
    return InputsError(words, [] if site is None else [("called", str(site))])
