"""Graph: an ONNX graph that is being built; the table of mappers to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from refluid.core.dtypes import TORCH_NAME
from refluid.export.mapping import Table, Value
from refluid.ir.operator import Operator

OPSET = 18  # the first in which ScatterND can take maxima, which sequence_pool needs
maps = Table("ONNX", no_blocks="export --to torch can write loops and branches")

Name = str | Value | None  # what a node reads; None leaves an optional input out

ELEMENTS = {
    torch.bool: TensorProto.BOOL, torch.int8: TensorProto.INT8, torch.uint8: TensorProto.UINT8,
    torch.int16: TensorProto.INT16, torch.int32: TensorProto.INT32, torch.int64: TensorProto.INT64,
    torch.float16: TensorProto.FLOAT16, torch.float32: TensorProto.FLOAT, torch.float64: TensorProto.DOUBLE,
}  # fmt: skip


class Graph:
    """Nodes and constants. Every method that adds a node returns the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self._constants: dict[tuple, str] = {}
        self._made: dict[tuple, str] = {}
        self._counts: Counter[str] = Counter()
        self._prefix = "constant"

    def begin(self, op: Operator) -> None:
        """The nodes that follow stand for this operator and are named after its first output."""
        self._prefix = (op.output_arg_names or [op.type])[0]

    def result(self, name: str, made: str, shape: tuple[int, ...]) -> str:
        return made

    def node(self, type: str, *inputs: Name, **attrs: object) -> str:
        return self.nodes_of(type, 1, *inputs, **attrs)[0]

    def nodes_of(self, type: str, count: int, *inputs: Name, **attrs: Any) -> list[str]:
        """A node with `count` results."""
        base = f"{self._prefix}/{type}"
        self._counts[base] += 1
        name = base if self._counts[base] == 1 else f"{base}_{self._counts[base] - 1}"
        outputs = [name] if count == 1 else [f"{name}:{i}" for i in range(count)]
        read = ["" if one is None else str(one) for one in inputs]
        while read and not read[-1]:
            read.pop()
        self.nodes.append(helper.make_node(type, read, outputs, name=name, **attrs))
        return outputs

    def once(self, key: tuple, make: Callable[[], str]) -> str:
        """What several operators need, such as the sequence of every row, made where it is first asked for."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    # -- constants ----------------------------------------------------------------------------------------------

    def weight(self, name: str, value: torch.Tensor) -> str:
        self.initializers.append(numpy_helper.from_array(value.detach().cpu().contiguous().numpy(), name))
        return name

    def constant(self, values: object, dtype: torch.dtype) -> str:
        """A small tensor; equal ones are one initializer."""
        array = np.array(values, dtype=TORCH_NAME[dtype])
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = f"constant_{len(self._constants)}"
            self.initializers.append(numpy_helper.from_array(array, self._constants[key]))
        return self._constants[key]

    def ints(self, *values: int) -> str:
        """An int64 vector: axes, sizes, indices."""
        return self.constant(list(values), torch.int64)

    def number(self, value: float, like: Value) -> str:
        """A scalar of the dtype of `like`."""
        return self.constant(value, like.dtype)

    # -- what many mappers need ---------------------------------------------------------------------------------

    def cast(self, x: Name, dtype: torch.dtype) -> str:
        return self.node("Cast", x, to=ELEMENTS[dtype])

    def reshape(self, x: Name, *shape: int) -> str:
        """Sizes as ONNX reads them: 0 keeps the size, -1 takes what remains; none makes a scalar."""
        return self.node("Reshape", x, self.ints(*shape))

    def unsqueeze(self, x: Name, *axes: int) -> str:
        return self.node("Unsqueeze", x, self.ints(*axes)) if axes else str(x)

    def squeeze(self, x: Name, *axes: int) -> str:
        return self.node("Squeeze", x, self.ints(*axes)) if axes else str(x)

    def transpose(self, x: Name, *axes: int) -> str:
        return self.node("Transpose", x, perm=axes)

    def sizes(self, x: Name, start: int = 0, end: int | None = None) -> str:
        """The sizes of axes start .. end - 1, int64."""
        return self.node("Shape", x, start=start) if end is None else self.node("Shape", x, start=start, end=end)

    def concat(self, *parts: Name, axis: int = 0) -> str:
        return str(parts[0]) if len(parts) == 1 else self.node("Concat", *parts, axis=axis)

    def where(self, condition: Name, yes: Name, no: Name) -> str:
        return self.node("Where", condition, yes, no)

    def full(self, shape: Name, value: float, dtype: torch.dtype) -> str:
        """A tensor of one number; `shape` is an int64 vector."""
        filled = helper.make_tensor("value", ELEMENTS[dtype], [1], [value])
        return self.node("ConstantOfShape", shape, value=filled)

    def reduce(self, kind: str, x: Name, axes: list[int], keep: bool) -> str:
        return self.node(f"Reduce{kind}", x, self.ints(*axes), keepdims=int(keep))

    def clip(self, x: Name, low: float, high: float, like: Value) -> str:
        return self.node("Clip", x, self.number(low, like), self.number(high, like))

    def given(self, attr: list[int], tensor: Value | None, tensors: list[Value] | None = None) -> str:
        """Sizes from where Fluid looks for them: a list of one-element tensors, one tensor, the attribute."""
        if tensors:
            return self.concat(*(self.cast(self.reshape(one, -1), torch.int64) for one in tensors))
        return self.ints(*attr) if tensor is None else self.cast(self.reshape(tensor, -1), torch.int64)
