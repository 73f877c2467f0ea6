"""Which persistables to keep in channels_last memory format: convolution filters and their optimizer state.

Convolutions are fastest on it, activations follow the filter's format by themselves, and updates stay in one pass when
parameter, gradient and state have one format. The shapes that users see do not change.
"""

from __future__ import annotations

from refluid.executor.step import Step
from refluid.ir.block import Block

_CONVOLUTIONS = {"conv2d", "conv2d_transpose", "depthwise_conv2d"}


def channels_last_names(steps: list[Step], block: Block) -> set[str]:
    filters = {
        name
        for step in steps
        if step.op.type in _CONVOLUTIONS
        for name in step.inputs[step.op.input_index["Filter"]]
        if name
    }
    shapes = {name: var.shape for name in filters if (var := block.find_var(name)) is not None and var.persistable}
    found = set(shapes)
    for step in steps:
        if "Param" not in step.op.input_index:
            continue
        for param in step.inputs[step.op.input_index["Param"]]:
            if param in shapes:
                for name in (n for names in step.inputs for n in names if n):
                    var = block.find_var(name)
                    if var is not None and var.persistable and var.shape == shapes[param]:
                        found.add(name)
    return found
