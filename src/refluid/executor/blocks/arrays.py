"""Arrays of tensors come into being, empty, where the block begins that declares them."""

from __future__ import annotations

from collections.abc import Iterator

from refluid.executor.codegen import Source
from refluid.executor.step import Step, all_steps
from refluid.ir.block import Block
from refluid.tensor.tensor_array import LoDTensorArray


def written_arrays(steps: list[Step], block: Block) -> Iterator[str]:
    """Arrays of `block` that some step, at any depth, writes an element of or adds another array to."""
    seen = set()
    for step in all_steps(steps):
        name = step.outputs[0][0] if step.outputs and step.outputs[0] else None
        if step.op.type != "write_to_array" and not (step.op.type == "sum" and name in step.inputs[0]):
            continue
        if name and name not in seen and name in block.vars and block.is_array(name):
            seen.add(name)
            yield name


def emit_arrays(
    source: Source, steps: list[Step], block: Block, indent: int, bound: frozenset[str] = frozenset()
) -> None:
    for name in written_arrays(steps, block):
        if name not in bound:
            source.line(f"{source.ident(name)} = {source.constant(LoDTensorArray, 'LoDTensorArray')}()", None, indent)
