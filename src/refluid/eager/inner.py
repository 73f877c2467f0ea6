"""What Fluid's own modules share of the imperative mode, and programs import with them (paddle.fluid.framework)."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

from refluid.core import mode
from refluid.core.dtypes import VarType
from refluid.core.places import Place, device_of
from refluid.eager.base import tape
from refluid.eager.holder import holder
from refluid.eager.variable import VarBase
from refluid.ir.recorder import recorder

if TYPE_CHECKING:
    import numpy as np

    from refluid.core.types import Dtype
    from refluid.ir.base_variable import BaseVariable

P = ParamSpec("P")
R = TypeVar("R")


def dygraph_only(func: Callable[P, R]) -> Callable[P, R]:
    """A decorator: the function may be called in the imperative mode alone."""

    @functools.wraps(func)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        mode.current().demand_imperative(
            AssertionError(f"{func.__name__} works in the imperative mode alone: use fluid.dygraph.guard()")
        )
        return func(*args, **kwargs)

    return called


def dygraph_not_support(func: Callable[P, R]) -> Callable[P, R]:
    """A decorator: the function may be called in the static mode alone."""

    @functools.wraps(func)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        mode.current().demand_program(
            AssertionError(f"{func.__name__} works in the static mode alone: leave fluid.dygraph.guard()")
        )
        return func(*args, **kwargs)

    return called


def fake_interface_only(func: Callable) -> Callable:
    """A decorator: the method is the other mode's, and whoever calls it has the wrong kind of variable."""

    @functools.wraps(func)
    def called(*args: object, **kwargs: object) -> NoReturn:
        raise AssertionError(
            f"{func.__name__} is a method of variables of the imperative mode; this is one of the static mode"
        )

    return called


def _varbase_creator(
    type: VarType = VarType.LOD_TENSOR,
    name: str | None = None,
    shape: Any = None,
    dtype: Dtype | None = None,
    persistable: bool | None = None,
    **program_only: object,
) -> VarBase:
    """A variable of the imperative mode without a value, for an operator to write to."""
    return holder(dtype, name, shape, persistable)


def _var_base_to_np(var_base: VarBase) -> np.ndarray:
    """The value of a variable of the imperative mode."""
    return var_base.numpy()


def _getitem_impl_(var: BaseVariable, item: object) -> BaseVariable:
    """A part of a variable: what `var[item]` is."""
    return var[item]


@contextlib.contextmanager
def _dygraph_guard(tracer: object) -> Iterator[None]:
    """The imperative mode inside if there is a tracer, the static mode if it is None; the defaults stay as they are."""
    with mode.using(recorder if tracer is None else tape()):
        yield


@contextlib.contextmanager
def _dygraph_place_guard(place: Place) -> Iterator[None]:
    """The imperative mode computes on this place inside."""
    here = tape()
    old, here.device = here.device, device_of(place)
    try:
        yield
    finally:
        here.device = old


def switch_to_static_graph(func: Callable[P, R]) -> Callable[P, R]:
    """A decorator: the function runs in the static mode, whatever the mode is around it."""

    @functools.wraps(func)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        with _dygraph_guard(None):
            return func(*args, **kwargs)

    return called
