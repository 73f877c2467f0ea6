"""Input: what a model is fed with; and where it runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from refluid.core import unique_name
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.places import CPUPlace, CUDAPlace, Place
from refluid.distributed.environment import ParallelEnv
from refluid.ir.base_variable import BaseVariable
from refluid.layers.control_flow.nest import Structure, outline
from refluid.layers.data import fluid_data

if TYPE_CHECKING:
    from refluid.core.types import Dtype


class Input:
    """An input or a label of a model, for `Model.prepare`.

    Args:
        shape: all sizes, None or -1 where unknown (the batch).
        dtype: "float32" by default.
        name: what it is fed as; made up by default.
    """

    def __init__(self, shape: Sequence[int | None] | None = None, dtype: Dtype | None = None, name: str | None = None):
        if not isinstance(shape, list | tuple):
            raise ArgumentError(f"Input: shape must be a list of sizes, got {shape!r}")
        self.shape = list(shape)
        self.dtype = "float32" if dtype is None else dtype
        self.name = unique_name.generate("input") if name is None else name

    def forward(self) -> BaseVariable:
        """The variable of the current program that is fed."""
        return fluid_data(self.name, self.shape, self.dtype)

    __call__ = forward

    def __repr__(self) -> str:
        return f"Input(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"


def set_device(device: str) -> Place:
    """The place of "cpu" or "gpu", to pass to `fluid.enable_dygraph` and `Model.prepare`."""
    if device == "cpu":
        return CPUPlace()
    if device == "gpu":
        return CUDAPlace(ParallelEnv().dev_id)
    raise ArgumentError(f"set_device: device must be 'cpu' or 'gpu', got {device!r}")


def as_place(device: str | Place) -> Place:
    """A place from what `prepare` takes as device."""
    return device if isinstance(device, Place) else set_device(device)


def as_list(value: object) -> list[Any]:
    """Several of something: a list as it is, one in a list, nothing in an empty one."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def outputs_of(model: Callable[..., Structure], inputs: list[Any]) -> list[Any]:
    """What forward gives, as a list of variables."""
    result = model(*inputs)
    outputs = as_list(result)
    if not outputs or not all(isinstance(one, BaseVariable) for one in outputs):
        raise ArgumentError(
            f"{type(model).__name__}: forward must give a variable or a list of variables, got {outline(result)}"
        )
    return outputs


def declared(what: str, inputs: Structure, order: list[str] | None = None) -> list[Input]:
    """A list of Inputs from what `prepare` takes; `order` sorts a dictionary by the arguments of forward."""
    if isinstance(inputs, dict):
        unknown = [name for name in inputs if name not in (order or [])]
        if unknown:
            raise ArgumentError(f"prepare: {what} names {unknown}, but forward takes {order}")
        inputs = [inputs[name] for name in order or [] if name in inputs]
    specs = as_list(inputs)
    for spec in specs:
        if not isinstance(spec, Input):
            raise DtypeError(f"prepare: {what} must be Inputs, got {type(spec).__name__}")
    return specs


def check_names(found: list[Input]) -> None:
    """Names tell inputs and labels apart when they are fed."""
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise ArgumentError(f"prepare: inputs and labels must have names of their own, got {names}")


def arguments_of(forward: Callable) -> list[str] | None:
    """The names of what a forward function must be given; None if it takes any number."""
    names = []
    for parameter in inspect.signature(forward).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            return None
        if parameter.default is parameter.empty and parameter.kind in (
            parameter.POSITIONAL_ONLY,
            parameter.POSITIONAL_OR_KEYWORD,
        ):
            names.append(parameter.name)
    return names
