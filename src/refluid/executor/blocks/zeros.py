"""A gradient that no run of a block has contributed to."""

from __future__ import annotations

from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.executor.codegen import Source
from refluid.executor.step import Step
from refluid.tensor.tensor_array import LoDTensorArray


def zeros_text(source: Source, step: Step, owner: str) -> str:
    """Source text for zeros in the shape of a variable; an array's gradient is an empty array."""
    var = step.operator.block.find_var(owner)
    if var is not None and var.type == VarType.LOD_TENSOR_ARRAY:
        return f"{source.constant(LoDTensorArray, 'LoDTensorArray')}()"
    dtype = source.constant(dtypes.TORCH[var.dtype if var is not None else VarType.FP32], "dtype")
    device = source.constant(source.device, "device")
    return f"torch.zeros({source.shape_of(owner)}, dtype={dtype}, device={device})"


def emit_zeros(source: Source, step: Step, target: str, owner: str, indent: int) -> None:
    source.line(f"{target} = {zeros_text(source, step, owner)}", step, indent)
