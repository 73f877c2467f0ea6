"""The optimizers of 1.4 and 1.5, which had neither `parameter_list` nor `grad_clip`. See Note [Generations]."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from refluid.core.generations import generations, older
from refluid.optim.regularizer import WeightDecayRegularizer

F = TypeVar("F", bound=Callable)
_ADDED = ("parameter_list", "grad_clip")


def without_parameter_lists(init: F) -> F:
    """Decorator of an optimizer's `__init__`: calls of 1.5 leave the added arguments out of the order."""
    latest = inspect.signature(init)
    order = list(latest.parameters)
    kept = [parameter for parameter in latest.parameters.values() if parameter.name not in _ADDED]
    added = [latest.parameters[name].replace(kind=inspect.Parameter.KEYWORD_ONLY) for name in _ADDED]
    signature = latest.replace(parameters=[*kept, *added])
    both = generations(init)

    def tells(args: tuple, kwargs: dict[str, Any]) -> bool:
        return len(args) <= len(kept) and _fits_no_list(dict(zip(order, args, strict=False)))

    def init_1_5(*args: object, **kwargs: object) -> None:
        init(**signature.bind(*args, **kwargs).arguments)

    init_1_5.__signature__ = signature  # type: ignore[attr-defined]
    older(both, before="1.7", when=tells)(init_1_5)
    return both


def _fits_no_list(named: dict[str, Any]) -> bool:
    """Whether positional arguments stand, by the latest order, where they cannot be meant."""
    regularization = named.get("regularization")
    return (
        isinstance(named.get("parameter_list"), WeightDecayRegularizer | bool | str)
        or isinstance(regularization, str)
        or (callable(regularization) and not isinstance(regularization, WeightDecayRegularizer))
        or isinstance(named.get("grad_clip"), bool | int | float | str)
    )
