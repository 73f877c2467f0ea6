"""The derived gradient: replay the kernel under torch's autograd.

It is the gradient of every operator without a written rule, what gradients of gradients come from, and the oracle that
written rules are tested against.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch

from refluid.ops.aten import backward
from refluid.ops.registry import OpDef, _register
from refluid.ops.signature import GRAD_SUFFIX, Param, Slot, grad_slot


def derived_gradient(forward: OpDef) -> OpDef | None:
    """The derived gradient as the registered `<op>_grad`."""
    gradient = replayed(forward)
    if gradient is not None:
        _register(gradient)
    return gradient


def is_derived(gradient: OpDef) -> bool:
    return getattr(gradient.kernel, "replays", None) is not None


def replayed(forward: OpDef) -> OpDef | None:
    """An OpDef that takes all inputs of `forward` and the gradients of its outputs. It is not registered."""
    gradient = object.__new__(OpDef)
    gradient.__dict__.update(forward.__dict__)
    n_inputs = len(forward.inputs)
    taken = {*forward.input_index, *forward.output_index}
    grad_slots = [
        Slot(grad_slot(out.name, taken), out.param + "_grad", out.duplicable, dispensable=True)
        for i, out in enumerate(forward.outputs)
        if i not in forward.nograd_outputs
    ]
    if not grad_slots:
        return None
    gradient.type = forward.type + "_grad"
    gradient.inputs = (*forward.inputs, *grad_slots)
    gradient.params = (*forward.params, *(Param("value", n_inputs + i) for i in range(len(grad_slots))))
    gradient.outputs = tuple(
        Slot(slot.name + GRAD_SUFFIX, slot.param + "_grad", slot.duplicable, dispensable=True)
        for slot in (forward.inputs[i] for i in forward.differentiable)
    )
    gradient.kernel = _replay(forward, [i for i in range(len(forward.outputs)) if i not in forward.nograd_outputs])
    gradient.engine = (*forward.engine, *(("needs",) if "needs" not in forward.engine else ()))
    gradient.input_index = {slot.name: i for i, slot in enumerate(gradient.inputs)}
    gradient.output_index = {slot.name: i for i, slot in enumerate(gradient.outputs)}
    gradient.lod, gradient.lod_rule, gradient.infer_rule, gradient.like = None, None, None, None
    gradient.makes_lod = gradient.tells_lod = False
    gradient.inplace, gradient.fused_kernel, gradient.adders, gradient.nograd_outputs = {}, None, {}, frozenset()
    gradient.differentiable = (*forward.differentiable, *range(n_inputs, len(gradient.inputs)))
    gradient.has_gradient = forward.random is None
    gradient._grad = None
    gradient.recipe, gradient.quick = None, {}
    gradient.attr_params = frozenset(attr.param for attr in gradient.attrs.values())
    gradient.hidden, gradient.once = frozenset(), False
    gradient.forward = forward
    gradient.plain = False
    gradient.single = len(gradient.outputs) == 1
    return gradient


def _replay(forward: OpDef, grad_outputs: list[int]) -> Any:
    n_args = len(forward.params)
    arg_of_slot = {p.slot: i for i, p in enumerate(forward.params) if p.kind != "lod"}
    wanted_args = [arg_of_slot[i] for i in forward.differentiable]
    forward_takes_needs = "needs" in forward.engine

    def replay(*args: Any, needs: tuple[bool, ...] | None = None, **attrs: Any) -> Any:
        """The gradient of `forward`, by running it again under autograd."""
        inputs, out_grads = list(args[:n_args]), args[n_args:]
        nested = any(isinstance(value, torch.Tensor) and value.requires_grad for value in args)
        leaves: list[torch.Tensor] = []

        def leaf(value: Any) -> Any:
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                # Inside an outer replay the value belongs to the outer graph and must stay in it. Either way it becomes
                # an object of its own, since one tensor may stand in two slots.
                value = value.view_as(value) if value.requires_grad else value.detach().requires_grad_()
                leaves.append(value)
            return value

        for wanted, i in zip(needs or [True] * len(wanted_args), wanted_args, strict=True):
            if wanted and inputs[i] is not None:
                inputs[i] = [leaf(v) for v in inputs[i]] if isinstance(inputs[i], list | tuple) else leaf(inputs[i])
        if forward_takes_needs:
            attrs["needs"] = (True,) * len(forward.outputs)
        with torch.enable_grad():
            outs = forward.kernel(*inputs, **attrs)
        outs = [outs] if len(forward.outputs) == 1 else list(outs)
        flat_outs: list[torch.Tensor] = []
        flat_grads: list[torch.Tensor] = []
        for i, grad in zip(grad_outputs, out_grads, strict=True):
            pairs = zip(outs[i], grad, strict=True) if isinstance(outs[i], list | tuple) else [(outs[i], grad)]
            for out, out_grad in pairs:
                if isinstance(out, torch.Tensor) and out.requires_grad and out_grad is not None:
                    flat_outs.append(out)
                    flat_grads.append(out_grad.reshape(out.shape).to(out.dtype))
        found: list[torch.Tensor | None] = [None] * len(leaves)
        if flat_outs and leaves:
            # Under an outer replay (a gradient of a gradient) the inner one has to be differentiable itself.
            found = backward(flat_outs, flat_grads, leaves, create_graph=nested)
        grads = {
            id(value): g if g is not None else torch.zeros_like(value) for value, g in zip(leaves, found, strict=True)
        }

        def result(value: Any) -> Any:
            if isinstance(value, list | tuple):
                return [grads.get(id(v)) for v in value]
            return grads.get(id(value))

        results = tuple(result(inputs[i]) for i in wanted_args)
        return results[0] if len(results) == 1 else results

    replay.__signature__ = inspect.signature(forward.kernel)  # type: ignore[attr-defined]  # for documentation tools
    replay.replays = forward  # type: ignore[attr-defined]
    return replay
