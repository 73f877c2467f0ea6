"""The state of an optimizer: variables beside parameters, in either mode."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from refluid.core import dtypes, unique_name
from refluid.core.errors import ArgumentError, EnforceNotMet, NotFoundError
from refluid.core.mode import per_mode
from refluid.core.types import Dtype
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable, V
from refluid.params.create import initialise
from refluid.params.initializer import Constant


class Accumulators(dict[str, dict[str, Any]]):
    """{kind: {name of the parameter: accumulator}}, as subclasses of programs read it: `fc_0.w_0_moment1_0`.

    A kind has the name of the optimizer before it, if that has one.
    """

    def __init__(self, prefix: str | None = None):
        super().__init__()
        self._prefix = prefix
        self._first: dict[str, dict[str, float]] = {}  # what they were filled with
        self._waiting: dict[str, Any] = {}  # restored before the accumulator existed
        self.names: list[str] = []  # in the order in which they were made

    def add(
        self,
        name: str,
        param: BaseVariable,
        fill_value: float = 0.0,
        shape: Sequence[int] | None = None,
        dtype: Dtype | None = None,
    ) -> BaseVariable:
        """The accumulator of this name for `param`, made on first use."""
        name = self._kind(name)
        known = self.setdefault(name, {})
        accumulator = known.get(param.name)
        if accumulator is not None and _serves.of(param)(accumulator):
            return accumulator
        known[param.name] = accumulator = _new.of(param)(
            unique_name.generate(f"{param.name}_{name}"), param, float(fill_value), shape, dtype
        )
        self.names.append(accumulator.name)
        self._first.setdefault(name, {})[param.name] = float(fill_value)
        if accumulator.name in self._waiting:
            _set(accumulator, self._waiting.pop(accumulator.name))
        return accumulator

    def _kind(self, name: str) -> str:
        return name if self._prefix is None else f"{self._prefix}_{name}"

    def follow(self, names: dict[str, str]) -> None:
        """Belong to parameters of other names, as copies of parameters have (imperative mode)."""
        for kind, known in self.items():
            for param, var in known.items():
                var.name = unique_name.generate(f"{names.get(param, param)}_{kind}")
            self[kind] = {names.get(param, param): var for param, var in known.items()}
            self._first[kind] = {names.get(param, param): value for param, value in self._first[kind].items()}
        self.names = list(self.state())

    def of(self, name: str, param: V) -> V:
        try:
            return self[self._kind(name)][param.name]
        except KeyError:
            raise NotFoundError(f"accumulator {name} of {param.name} does not exist") from None

    def state(self) -> dict[str, Any]:
        return {var.name: var for by_param in self.values() for var in by_param.values()}

    def first_values(self) -> list[tuple[BaseVariable, np.ndarray]]:
        """Every accumulator with the value that it had before the first step."""
        return [
            (var, np.full(var.shape, self._first[kind][param], dtypes.numpy_dtype(var.dtype)))
            for kind, known in self.items()
            for param, var in known.items()
        ]

    def check(self, values: dict[str, Any], later: dict[str, Any]) -> None:
        """Refuse a state that does not fit, with all that is wrong.

        Args:
            values: the state.
            later: accumulators as they will be, which do not exist before the first step, by the names in `values`.
        """
        own, problems = self.state(), []
        for name, var in own.items():
            if name not in values:
                problems.append((name, f"is missing ({list(var.shape)})"))
            elif problem := mismatch(values[name], var):
                problems.append((name, problem))
        for name, expected in later.items():
            if name not in own and (problem := mismatch(values[name], expected)):
                problems.append((name, problem))
        if problems:
            count = len({*own, *later})
            raise EnforceNotMet(
                f"set_dict: {len(problems)} of {count} accumulators do not match; nothing was loaded", problems
            )

    def expected(self, param: str, values: dict[str, Any]) -> dict[str, Any]:
        """These accumulators of one parameter by the names that `values` has for them: the numbers there may differ."""
        names: dict[str, Any] = {}
        for kind, of_params in self.items():
            pattern = re.compile(re.escape(f"{param}_{kind}") + r"_\d+")
            names |= {name: of_params[param] for name in values if param in of_params and pattern.fullmatch(name)}
        return names

    def restore(self, values: dict[str, Any]) -> None:
        """Set known accumulators; keep the others for when they are made. `check` comes first."""
        own = self.state()
        for name, value in values.items():
            if name in own:
                _set(own[name], value)
            elif not isinstance(value, dict):
                self._waiting[name] = value


@per_mode
def _serves(accumulator: BaseVariable) -> bool:
    """Whether an accumulator that exists is the one for a parameter of the program that is being built."""
    return accumulator.block.program is programs.default_main_program()


@_serves.imperative
def _serves_always(accumulator: object) -> bool:
    return True


@per_mode
def _new(
    name: str, param: BaseVariable, value: float, shape: Sequence[int] | None, dtype: Dtype | None
) -> BaseVariable:
    var = programs.default_main_program().global_block().create_var(
        name=name, shape=param.shape if shape is None else shape, dtype=param.dtype if dtype is None else dtype,
        persistable=True,
    )  # fmt: skip
    initialise(var, Constant(value))
    return var


@_new.imperative
def _new_now(name: str, param: VarBase, value: float, shape: Sequence[int] | None, dtype: Dtype | None) -> BaseVariable:
    like = param._t
    if shape is None:  # keeps the memory format of the parameter, which fused updates need
        t = torch.full_like(like, value, dtype=dtypes.torch_dtype(dtype) if dtype is not None else None)
    else:
        kind = dtypes.torch_dtype(dtype) if dtype is not None else like.dtype
        t = torch.full(tuple(shape), value, dtype=kind, device=like.device)
    var = VarBase(t)
    var.name, var.persistable = name, True
    return var


def mismatch(value: object, var: BaseVariable) -> str | None:
    """Why a value cannot be that of an accumulator, None if it can."""
    array, dtype = _array(value), dtypes.numpy_dtype(var.dtype)
    if array.dtype.kind not in "biuf":
        return f"holds no numbers, but {type(value).__name__}"
    if list(array.shape) != list(var.shape):
        return f"has the shape {list(array.shape)}, expected {list(var.shape)}"
    if isinstance(value, np.ndarray | np.generic | VarBase) and array.dtype != dtype:
        return f"has the dtype {array.dtype}, expected {dtype}"
    return None


def _array(value: object) -> np.ndarray:
    return value.numpy() if isinstance(value, VarBase) else np.asarray(value)


def _set(var: BaseVariable, value: object) -> None:
    if not isinstance(var, VarBase):
        raise ArgumentError(f"set_dict: {var.name} is a variable of the static mode; use fluid.load")
    var.set_value(_array(value).astype(dtypes.numpy_dtype(var.dtype)))
