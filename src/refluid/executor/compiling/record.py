"""What the kernels of a plan call: every node's calls of ATen, with the sizes and strides of one run.

The kernel stays the one definition of an operator. It is run once under two modes of torch: one sees the calls that
reach ATen, the other those that hand data to Python (`tolist`, `item`, `numpy`), on which the next call may depend.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph

LARGEST = 1 << 14  # elements: with more of them, a call of ATen costs less than what it computes
DTYPES = {
    torch.float32: "float", torch.float64: "double", torch.int64: "int64_t", torch.int32: "int32_t", torch.bool: "bool",
}  # fmt: skip
_READS = frozenset(
    "tolist numpy item __bool__ __float__ __int__ __index__ __array__ data_ptr untyped_storage storage is_nonzero "
    "nonzero unique allclose equal any all __contains__".split()
)


@dataclass(frozen=True)
class Operand:
    """A tensor: a piece of a storage, which has a number."""

    storage: int
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: torch.dtype

    @property
    def numel(self) -> int:
        count = 1
        for size in self.shape:
            count *= size
        return count


@dataclass
class Call:
    """A call of ATen; tensors among the arguments are operands."""

    name: str
    args: tuple
    kwargs: dict[str, Any]
    results: list[Operand]
    mutates: bool


@dataclass
class NodeCalls:
    """What one node did. `inputs` and `outputs` are like those of the node, with operands (None: no tensor)."""

    calls: list[Call] = field(default_factory=list)
    inputs: list[list[Operand | None]] = field(default_factory=list)
    outputs: list[list[Operand | None]] = field(default_factory=list)
    shapes: dict[int, list[torch.Size | None]] = field(default_factory=dict)  # per slot that is read by its shape
    refusal: str | None = None  # why it cannot be compiled


class Unsupported(Exception):
    """Why a call has no C++."""


class Recording:
    """Of one run of a plan."""

    def __init__(self) -> None:
        self.nodes: list[NodeCalls | None] = []
        self.tensors: list[torch.Tensor] = []  # one of every storage: alive, so that no two have one address
        self._numbers: dict[int, int] = {}

    def operand(self, t: torch.Tensor) -> Operand:
        if type(t) is not torch.Tensor:
            raise Unsupported(f"a {type(t).__name__}")
        if t.numel() > LARGEST or t.dtype not in DTYPES or t.device.type != "cpu" or t.layout is not torch.strided:
            raise Unsupported(f"{tuple(t.shape)} of {t.dtype}")
        storage = t.untyped_storage()
        if storage.nbytes() > LARGEST * 64:
            raise Unsupported("a piece of a large tensor")
        number = self._numbers.get(storage._cdata)
        if number is None:
            number = self._numbers[storage._cdata] = len(self.tensors)
            self.tensors.append(t)
        return Operand(number, int(t.storage_offset()), tuple(t.shape), t.stride(), t.dtype)

    def wrap(self, graph: Graph) -> None:
        """Let every node of a plan tell what it calls."""
        for node in graph.nodes:
            op = node.op
            if node.body is not None or "rng" in op.engine or op.side_effect or op.tells_lod or op.makes_lod:
                self.nodes.append(None)
                continue
            calls = NodeCalls()
            self.nodes.append(calls)
            node.label = node.name
            node.kernel = self._wrapped(node, node.kernel or node.op.kernel, calls)

    def _wrapped(self, node: Node, kernel: Callable, calls: NodeCalls) -> Callable:
        def run(*args: object, **kwargs: object) -> Any:
            try:
                calls.inputs = self._inputs(node, args, calls)
            except Unsupported as why:
                calls.refusal = str(why)
                return kernel(*args, **kwargs)
            with _Reads(calls), _Calls(self, calls):
                results = kernel(*args, **kwargs)
            try:
                calls.outputs = self._outputs(node, results)
            except Unsupported as why:
                calls.refusal = calls.refusal or str(why)
            return results

        return run

    def _inputs(self, node: Node, args: tuple, calls: NodeCalls) -> list[list[Operand | None]]:
        operands: list[list[Operand | None]] = [[None] * len(values) for values in node.inputs]
        if node.grouped:
            for slot, values in enumerate(node.inputs):
                if values:
                    operands[slot] = [self.operand(t) for t in args[slot]]
            return operands
        for param, arg in zip(node.op.params, args, strict=False):
            values = node.inputs[param.slot]
            if param.kind == "lod" and arg is not None:
                raise Unsupported("a LoD")
            many = node.op.inputs[param.slot].duplicable
            if param.kind == "shape" and values:
                calls.shapes[param.slot] = list(arg) if many else [arg]
            if param.kind == "value" and values:
                tensors = arg if many else [arg]
                operands[param.slot] = [None if t is None else self.operand(t) for t in tensors]
        return operands

    def _outputs(self, node: Node, results: Any) -> list[list[Operand | None]]:
        if node.grouped:
            return []
        slots = [results] if node.op.single else results
        operands: list[list[Operand | None]] = []
        for slot, values, result in zip(node.op.outputs, node.outputs, slots, strict=True):
            tensors = (result if slot.duplicable else [result]) if values else []
            if len(tensors) != len(values):
                raise Unsupported("another number of results")
            operands.append(
                [None if v is None or t is None else self.operand(t) for v, t in zip(values, tensors, strict=True)]
            )
        return operands


class _Calls(TorchDispatchMode):
    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Torch would load its compiler, in seconds, to keep it away from the method below; nobody traces a plan."""
        return False

    def __init__(self, recording: Recording, calls: NodeCalls):
        super().__init__()
        self.recording, self.calls = recording, calls

    def __torch_dispatch__(self, func: Any, types: object, args: tuple = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        results = func(*args, **kwargs)
        if self.calls.refusal is None:
            try:
                tensors = results if isinstance(results, tuple | list) else [results]
                self.calls.calls.append(
                    Call(
                        str(func),
                        tuple(self._described(arg) for arg in args),
                        {name: self._described(arg) for name, arg in kwargs.items()},
                        [self.recording.operand(t) for t in tensors if t is not None],
                        func._schema.is_mutable,
                    )
                )
            except Unsupported as why:
                self.calls.refusal = f"{func}: {why}"
        return results

    def _described(self, arg: object) -> Any:
        if isinstance(arg, torch.Tensor):
            return self.recording.operand(arg)
        if isinstance(arg, list | tuple):
            return [self._described(one) for one in arg]
        return arg


class _Reads(TorchFunctionMode):
    def __init__(self, calls: NodeCalls):
        super().__init__()
        self.calls = calls

    def __torch_function__(self, func: Callable, types: object, args: tuple = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name in _READS:
            self.calls.refusal = self.calls.refusal or f"{name} hands data to Python"
        return func(*args, **(kwargs or {}))
