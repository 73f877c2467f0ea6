"""py_func: a Python function as an operator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.ops.registry import LoD, Tensor, op
from refluid.tensor.lod_tensor import LoDTensor, tensor_of

Function = Callable[..., Any]


class Callback:
    """A Python function that programs refer to by its number."""

    def __init__(self, function: Function, outputs: int, keep: Sequence[bool] | None = None):
        self.function = function
        self.outputs = outputs
        self.keep = keep  # of a backward function: which of the operator's inputs and outputs it is given
        try:
            self.signature: inspect.Signature | None = inspect.signature(function)
        except (TypeError, ValueError):  # a builtin without a signature
            self.signature = None

    def __call__(self, values: list[LoDTensor], device: torch.device) -> list[Tensor | None]:
        if self.signature is not None:
            if not self.signature.parameters:
                values = []
            try:
                self.signature.bind(*values)
            except TypeError as error:
                raise ArgumentError(
                    f"{_name(self.function)}{self.signature} is called with {len(values)} values: {error}"
                ) from None
        returned = self.function(*values)
        results = list(returned) if isinstance(returned, list | tuple) else [] if returned is None else [returned]
        if len(results) != self.outputs:
            raise ArgumentError(f"{_name(self.function)} must return {self.outputs} values, got {len(results)}")
        return [_tensor(result, device) for result in results]


def _name(function: Function) -> str:
    return getattr(function, "__name__", "the function")


_callbacks: list[Callback] = []


def register(function: Function, outputs: int, keep: Sequence[bool] | None = None) -> int:
    """The number of a function, for the attributes forward_callable_id and backward_callable_id.

    Args:
        outputs: how many values it returns.
        keep: of a backward function: for every input and then every output of the operator whether it is passed.
    """
    _callbacks.append(Callback(function, outputs, keep))
    return len(_callbacks) - 1


def _find(number: int) -> Callback:
    if not 0 <= number < len(_callbacks):
        raise NotFoundError(f"there is no Python function with number {number} in this process; build the program anew")
    return _callbacks[number]


def _tensor(result: object, device: torch.device) -> Tensor | None:
    if result is None:
        return None
    if not isinstance(result, LoDTensor):
        return tensor_of(result, device)
    value = result.value().detach().to(device)  # its own object: the LoD below belongs to this output alone
    value.lod = result.lod_value  # type: ignore[attr-defined]
    return value


@op("Out", duplicable="Out", side_effect=True, lod=None, tells_lod=True, nograd="")
def py_func(
    X: list[Tensor] | None = None,
    X_lod: LoD | None = None,
    *,
    device: torch.device,
    forward_callable_id: int = 0,
    backward_callable_id: int = -1,
    backward_skip_vars: list[str] = [],
) -> list[Tensor]:
    """Out is what the Python function returns when it is called with X as LoDTensors: arrays, or LoDTensors."""
    lods = X_lod if isinstance(X_lod, list) else [X_lod] * len(X or [])
    values = [LoDTensor.of(x, lod) for x, lod in zip(X or [], lods, strict=True)]
    results = []
    for result in _find(forward_callable_id)(values, device):
        if result is None:
            raise ArgumentError("the function must return arrays or LoDTensors, got None among them")
        results.append(result)
    return results


@py_func.grad(side_effect=True)
def py_func_grad(
    X: list[Tensor],
    Out: list[Tensor],
    Out_grad: list[Tensor],
    *,
    device: torch.device,
    backward_callable_id: int,
) -> list[Tensor]:
    """The backward function's results; it is called with the inputs, the outputs and the gradients of the outputs."""
    if backward_callable_id < 0:  # no gradient
        return [torch.zeros_like(x) for x in X]
    backward = _find(backward_callable_id)
    values = [*X, *Out]
    keep = backward.keep or [True] * len(values)
    kept = [v for v, wanted in zip(values, keep, strict=True) if wanted]
    grads = backward([LoDTensor.of(v) for v in (*kept, *Out_grad)], device)
    return [torch.zeros_like(x) if grad is None else grad for x, grad in zip(X, grads, strict=True)]


@py_func.infer
def _specs(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    """The shapes are not known before it runs: the outputs stay as declared."""
    return [[]]
