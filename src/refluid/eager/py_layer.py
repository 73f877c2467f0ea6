"""PyLayer: an operation whose forward and backward are Python functions of numpy arrays (1.4)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from refluid.core import mode
from refluid.core.errors import ArgumentError, ModeError, ShapeError
from refluid.eager.base import to_variable
from refluid.eager.variable import VarBase, as_numpy
from refluid.ops.registry import OpDef, Tensor, define
from refluid.tensor.lod_tensor import LoDTensor, tensor_of


class PyLayer:
    """Base of custom operations; mixes freely with layers and operators.

    Subclasses define two static methods:
        forward(inputs): a list of arrays; returns an array or a list of them.
        backward(inputs): the arrays of the inputs, then of the outputs, then the gradients of the outputs; returns the
            gradient of each input (None: there is none).
    Calling an object runs forward and gives a list of variables.

    Example:
        >>> class Tanh(PyLayer):
        ...     @staticmethod
        ...     def forward(inputs):
        ...         return np.tanh(inputs[0])
        ...
        ...     @staticmethod
        ...     def backward(inputs):
        ...         x, out, dout = inputs
        ...         return dout * (1 - out * out)
    """

    def __init__(self) -> None:
        pass  # programs call super().__init__()

    @staticmethod
    def forward(*inputs: object) -> Any:
        raise NotImplementedError

    @staticmethod
    def backward(*douts: object) -> Any:
        raise NotImplementedError

    def __call__(self, *inputs: object) -> list[VarBase]:
        cls = type(self)
        mode.current().demand_imperative(
            ModeError(
                f"{cls.__name__}: a PyLayer runs in the imperative mode alone; use fluid.layers.py_func in a program"
            )
        )
        values = list(inputs[0]) if len(inputs) == 1 and isinstance(inputs[0], list | tuple) else list(inputs)
        if not values:
            raise ArgumentError(f"{cls.__name__}: at least one input is needed, got none")
        variables = [value if isinstance(value, VarBase) else to_variable(value) for value in values]
        return _operator(cls)(variables)


def _operator(cls: type[PyLayer]) -> OpDef:
    """The operator of a class, made once. Programs cannot hold it, so it is not registered."""
    known = cls.__dict__.get("_op")
    if known is not None:
        return known

    for name in ("forward", "backward"):
        if getattr(cls, name) is getattr(PyLayer, name):
            raise ArgumentError(f"{cls.__name__} must define {name} as a static method")
        if not _takes_one(getattr(cls, name)):
            raise ArgumentError(f"{cls.__name__}.{name} must be a static method that takes one list of arrays")

    def forward(X: list[Tensor]) -> list[Tensor]:
        results = _listed(cls.forward([as_numpy(x) for x in X]))
        if not results or any(r is None for r in results):
            raise ArgumentError(f"{cls.__name__}.forward must return arrays, got {results or None}")
        return [_tensor(result, X[0].device) for result in results]

    def backward(X: list[Tensor], Out: list[Tensor], Out_grad: list[Tensor]) -> list[Tensor | None]:
        results = _listed(cls.backward([as_numpy(t) for t in (*X, *Out, *Out_grad)]))
        if len(results) != len(X):
            raise ArgumentError(f"{cls.__name__}.backward must return {len(X)} gradients, got {len(results)}")
        grads = [None if r is None else _tensor(r, x.device).to(x.dtype) for r, x in zip(results, X, strict=True)]
        for i, (grad, x) in enumerate(zip(grads, X, strict=True)):
            if grad is not None and grad.shape != x.shape:
                raise ShapeError(
                    f"{cls.__name__}.backward: input {i} has the shape {list(x.shape)}, its gradient {list(grad.shape)}"
                )
        return grads

    operator = define(forward, "Out", type=cls.__name__, duplicable="Out", lod=None, side_effect=True)
    operator.rules.gradient = define(
        backward, "X@GRAD", type=f"{cls.__name__}_grad", duplicable="X@GRAD", dispensable="X@GRAD", lod=None, once=True,
        forward=operator,
    )  # fmt: skip
    cls._op = operator  # type: ignore[attr-defined]
    return operator


def _takes_one(function: Callable) -> bool:
    try:
        inspect.signature(function).bind([])
    except TypeError:
        return False
    except ValueError:  # a builtin that does not tell
        pass
    return True


def _listed(results: object) -> list[Any]:
    return list(results) if isinstance(results, list | tuple) else [results]


def _tensor(result: object, device: torch.device) -> Tensor:
    t = result.value() if isinstance(result, LoDTensor) else tensor_of(np.asarray(result), device)
    return t.reshape(1) if t.dim() == 0 else t
