"""The gradient of a remembered call as an operator call of its own, which is remembered too.

A node keeps raw values and the accumulators of its inputs; here they become variables again.
"""

from __future__ import annotations

import functools
from typing import Any

import torch

from refluid.core.errors import EnforceNotMet
from refluid.eager.base import tape
from refluid.eager.graph import Accumulator, Node, Out, Stopped
from refluid.eager.recipe import Read
from refluid.eager.variable import VarBase
from refluid.ops.derive import replayed
from refluid.ops.registry import OpDef
from refluid.ops.signature import GRAD_SUFFIX, output_of


def rerun(node: Node, grads: Any) -> list[Any]:
    """The gradients of the differentiable inputs (`node.sources`) as variables of the graph.

    Args:
        grads: the gradient of the output, or one per output slot, as variables (None: there is none).
    """
    recipe = node.recipe
    if hasattr(recipe, "rerun"):  # a whole program; see refluid.jit.partial
        return recipe.rerun(node, grads)
    op, gradient = recipe.op, recipe.op.gradient
    if gradient.once and op.side_effect:
        raise EnforceNotMet(f"grad: create_graph=True cannot go through {op.type}, whose gradient is Python code")
    per_slot = {out.name: grads if node.outs is None else grads[i] for i, out in enumerate(op.outputs)}
    attrs = recipe.attrs(node.attrs)
    if gradient.once:
        gradient = _replayed(op)
        attrs = node.attrs
        arguments = [_saved(node, slot.name, op) for slot in op.inputs]
        arguments += [per_slot[output_of(slot.name)] for slot in gradient.inputs[len(op.inputs) :]]
    else:
        arguments = [None] * len(gradient.inputs)
        for read in recipe.reads:
            _put(arguments, read, node, per_slot)
    if "is_sparse" in attrs:
        attrs = {**attrs, "is_sparse": False}  # rows chosen by an index have no gradient of their own
    results = tape().run(gradient, tuple(arguments), attrs, None, None)
    results = (results,) if gradient.single else results
    by_slot = {slot.name.removesuffix(GRAD_SUFFIX): r for slot, r in zip(gradient.outputs, results, strict=True)}
    return [by_slot.get(op.inputs[i].name) for i in recipe.slots]


@functools.cache
def _replayed(op: OpDef) -> Any:
    """For written rules that take saved values for constants: the rule that replays the kernel."""
    return replayed(op)


def _saved(node: Node, name: str, op: OpDef) -> Any:
    """An input that the replay needs, if the written rule has kept it or somebody still holds it."""
    for read in node.recipe.reads:
        if read.kind == "value" and read.name == name:
            return _variable(node, name, node.saved[read.at])
    index = op.input_index[name]
    source = node.sources[node.recipe.slots.index(index)] if index in node.recipe.slots else None
    if source is None and op.inputs[index].dispensable:
        return None
    held = None if source is None or isinstance(source, list) or source.var is None else source.var()
    if held is None:
        raise EnforceNotMet(
            f"grad: create_graph=True cannot go through {op.type}: its {name} is needed again and not kept; "
            "keep the variable in a Python name until the gradients are computed"
        )
    return held


def _put(inputs: list[Any], read: Read, node: Node, per_slot: dict[str, Any]) -> None:
    """One parameter of the gradient kernel, put into its slot."""
    saved: Any = None if read.at is None else node.saved[read.at]
    if read.kind == "value":
        inputs[read.slot] = _variable(node, read.name, saved)
    elif read.kind == "lod":
        if inputs[read.slot] is None:
            inputs[read.slot] = VarBase(torch.empty(0))
        targets = inputs[read.slot] if isinstance(inputs[read.slot], list) else [inputs[read.slot]]
        for var, lod in zip(targets, saved if isinstance(saved, list) else [saved], strict=True):
            var._lod = lod
    elif read.kind == "shape":
        if saved is not None:
            inputs[read.slot] = [_shaped(s) for s in saved] if isinstance(saved, list) else _shaped(saved)
    else:
        grad = per_slot[read.name]
        if read.at is not None:
            if isinstance(saved, list):
                grad = [_zeros(meta) if g is None else g for g, meta in zip(grad, saved, strict=True)]
            elif grad is None:
                grad = _zeros(saved)
        inputs[read.slot] = grad


def _variable(node: Node, name: str, value: object) -> VarBase | list[VarBase] | None:
    """A saved input or output, at its position in the graph."""
    op, recipe = node.recipe.op, node.recipe
    accumulator: Any
    if (
        name in op.input_index
    ):  # first: a gradient of a gradient has inputs and outputs of one name, and saves the input
        index = op.input_index[name]
        accumulator = node.sources[recipe.slots.index(index)] if index in recipe.slots else None
    else:
        out = op.output_index[name]
        differentiable = out not in op.nograd_outputs
        accumulator = None if not differentiable else node if node.outs is None else _accumulators(node, node.outs[out])
    if isinstance(value, list | tuple):
        accumulators = accumulator if isinstance(accumulator, list) else [None] * len(value)
        return [_placed(item, item_accumulator) for item, item_accumulator in zip(value, accumulators, strict=True)]
    return None if value is None else _placed(value, accumulator)


def _accumulators(node: Node, at: Any) -> Any:
    """The accumulators of an output slot."""
    return [Out(node, i) for i in at] if isinstance(at, list) else None if at is None else Out(node, at)


def _placed(value: Any, accumulator: Accumulator | Stopped | None) -> VarBase:
    var = VarBase(value)
    if accumulator is not None and type(accumulator) is not Stopped and isinstance(value, torch.Tensor):
        var._grad_node, var.stop_gradient = accumulator, False
    return var


def _shaped(shape: torch.Size) -> VarBase:
    """A variable for an operator that reads its shape alone."""
    return VarBase(torch.empty(shape, device="meta"))


def _zeros(meta: tuple) -> VarBase:
    return VarBase(torch.zeros(meta[0], dtype=meta[1], device=meta[2]))
