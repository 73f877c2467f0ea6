"""The derived gradient: replay the kernel under torch's autograd.

It is the gradient of every operator without a written rule, what gradients of gradients come from, and the oracle that
written rules are tested against.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

from refluid.ops.aten import backward
from refluid.ops.definition import OpDef
from refluid.ops.registry import register
from refluid.ops.signature import GRAD_SUFFIX, Param, Slot, grad_slot


def derived_gradient(forward: OpDef) -> OpDef | None:
    """The derived gradient as the registered `<op>_grad`."""
    gradient = replayed(forward)
    if gradient is not None:
        register(gradient)
    return gradient


def is_derived(gradient: OpDef) -> bool:
    return getattr(gradient.kernel, "replays", None) is not None


def replayed(forward: OpDef) -> OpDef | None:
    """An OpDef that takes all inputs of `forward` and the gradients of its outputs. It is not registered."""
    with_gradient = [i for i in range(len(forward.outputs)) if i not in forward.nograd_outputs]
    if not with_gradient:
        return None
    taken = {*forward.input_index, *forward.output_index}
    grad_slots = [
        Slot(grad_slot(out.name, taken), out.param + "_grad", out.duplicable, dispensable=True)
        for out in (forward.outputs[i] for i in with_gradient)
    ]
    results = tuple(
        Slot(slot.name + GRAD_SUFFIX, slot.param + "_grad", slot.duplicable, dispensable=True)
        for slot in (forward.inputs[i] for i in forward.differentiable)
    )
    behind = range(len(forward.inputs), len(forward.inputs) + len(grad_slots))
    return OpDef(
        type=forward.type + "_grad",
        kernel=_replay(forward, with_gradient),
        inputs=(*forward.inputs, *grad_slots),
        outputs=results,
        params=(*forward.params, *(Param("value", i) for i in behind)),
        attrs=forward.attrs,
        engine=(*forward.engine, *(("needs",) if "needs" not in forward.engine else ())),
        extra_attrs=forward.extra_attrs,
        rename=forward.rename,
        naming=tuple(range(len(results))),
        differentiable=(*forward.differentiable, *behind),
        nograd_outputs=frozenset(),
        has_gradient=forward.random is None,
        forward=forward,
        dtypes=forward.dtypes,
        random=forward.random,
        side_effect=forward.side_effect,
    )


def _replay(forward: OpDef, grad_outputs: list[int]) -> Callable[..., Any]:
    n_args = len(forward.params)
    arg_of_slot = {p.slot: i for i, p in enumerate(forward.params) if p.kind != "lod"}
    wanted_args = [arg_of_slot[i] for i in forward.differentiable]
    forward_takes_needs = "needs" in forward.engine

    def replay(*args: Any, needs: tuple[bool, ...] | None = None, **attrs: Any) -> Any:
        """The gradient of `forward`, by running it again under autograd."""
        inputs, out_grads = list(args[:n_args]), args[n_args:]
        nested = any(isinstance(value, torch.Tensor) and value.requires_grad for value in args)
        leaves: list[torch.Tensor] = []

        def leaf(value: object) -> Any:
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
        leaf_grads: list[torch.Tensor | None] = [None] * len(leaves)
        if flat_outs and leaves:
            # Under an outer replay (a gradient of a gradient) the inner one has to be differentiable itself.
            leaf_grads = backward(flat_outs, flat_grads, leaves, create_graph=nested)
        grads = {
            id(value): g if g is not None else torch.zeros_like(value)
            for value, g in zip(leaves, leaf_grads, strict=True)
        }

        def result(value: object) -> Any:
            if isinstance(value, list | tuple):
                return [grads.get(id(v)) for v in value]
            return grads.get(id(value))

        results = tuple(result(inputs[i]) for i in wanted_args)
        return results[0] if len(results) == 1 else results

    replay.__signature__ = inspect.signature(forward.kernel)  # type: ignore[attr-defined]  # for documentation tools
    replay.replays = forward  # type: ignore[attr-defined]
    return replay
