"""The operator registry: `@op` turns a torch function into an operator of both modes.

An operator is an `OpDef` (ops/definition.py). Calling it runs it in the current mode (core/mode.py).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

import torch

from refluid.core.errors import NotFoundError
from refluid.ops.definition import COMMON_ATTRS, ControlFlow, Convolution, OpDef, plain_attr
from refluid.ops.index import FILE_OF, FILES
from refluid.ops.signature import GRAD_SUFFIX, DType, Long, Signature, Slot, read_signature
from refluid.tensor.lod import LoD

__all__ = [
    "BOOLS", "COMMON_ATTRS", "FLOATS", "INDICES", "INTS", "NUMBERS", "ControlFlow", "Convolution", "DType", "LoD",
    "Long", "OpDef", "Shape", "Tensor", "all_types", "define", "find", "get", "op", "plain_attr", "register",
    "register_gradient",
]  # fmt: skip

Tensor = torch.Tensor
Shape = torch.Size

FLOATS = frozenset({torch.float32, torch.float64, torch.float16})
INTS = frozenset({torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8})
INDICES = frozenset({torch.int32, torch.int64})
BOOLS = frozenset({torch.bool})
NUMBERS = FLOATS | INTS

_registry: dict[str, OpDef] = {}


def define(
    kernel: Callable,
    outputs: str,
    *,
    type: str | None = None,
    lod: str | None = "",
    makes_lod: bool = False,
    tells_lod: bool = False,
    dtypes: dict[str, frozenset[torch.dtype]] | None = None,
    nograd: str = "",
    inplace: dict[str, str] | None = None,
    intermediate: str = "",
    dispensable: str = "",
    duplicable: str = "",
    hidden: str = "",
    like: str = "",
    naming: str = "",
    random: str | None = None,
    once: bool = False,
    side_effect: bool = False,
    fresh: bool = False,
    views: str = "",
    convolution: Convolution | None = None,
    statistics: str = "",
    synchronous: str = "",
    by_executor: str = "",
    row_states: str | None = None,
    collective: bool = False,
    control_flow: ControlFlow | None = None,
    late: str = "",
    grad_keeps: str = "",
    grad_hints: str = "",
    keeps_rows: Callable[[dict[str, Any], int], bool] | None = None,
    fuse_alpha: str | None = None,
    rename: dict[str, str] | None = None,
    extra_attrs: dict[str, str] | None = None,
    forward: OpDef | None = None,
) -> OpDef:
    """The operator of a kernel, which is not registered: plans and classes of programs have some of their own.

    Options name slots, several separated by blanks. The fields of OpDef say what most of them mean.

    Args:
        outputs: the output slots. `duplicable` ones hold a list, `dispensable` ones may be absent, `intermediate` ones
            are for the gradient alone, and `hidden` ones Fluid does not have.
        nograd: slots through which no gradient goes; "*" if the operator has no gradient at all.
        naming: which outputs are numbered first.
    """
    rename = rename or {}
    signature = read_signature(kernel, rename)
    slots = _output_slots(outputs, rename, duplicable, dispensable, intermediate, hidden)
    places = {slot.name: i for i, slot in enumerate(slots)}
    sources = {slot.name: i for i, slot in enumerate(signature.inputs)}
    allowed = {sources[name]: kinds for name, kinds in (dtypes or {}).items()}
    never = set(nograd.split())
    differentiable = _differentiable(signature, allowed, never | _without_gradient(forward))
    first = [places[rename.get(name, name)] for name in naming.split()]
    return OpDef(
        type=type or kernel.__name__,
        kernel=kernel,
        inputs=signature.inputs,
        outputs=slots,
        params=signature.params,
        attrs=signature.attrs,
        engine=signature.engine,
        extra_attrs=extra_attrs or {},
        rename=rename,
        naming=(*first, *(i for i in range(len(slots)) if i not in first)),
        differentiable=differentiable,
        nograd_outputs=frozenset([i for i, slot in enumerate(slots) if slot.name in never or slot.intermediate]),
        has_gradient=bool(differentiable) and "*" not in never,
        forward=forward,
        once=once,
        lod=lod,
        makes_lod=makes_lod or tells_lod,
        tells_lod=tells_lod,
        dtypes=allowed,
        inplace={places[out]: sources[source] for out, source in (inplace or {}).items()},
        hidden=frozenset([i for i, slot in enumerate(slots) if slot.name in hidden.split()]),
        like=sources[like] if like else None,
        random=random,
        side_effect=side_effect,
        fresh=fresh,
        views=tuple(sources[name] for name in views.split()),
        convolution=convolution,
        statistics=tuple(statistics.split()),
        synchronous=synchronous,
        by_executor=by_executor,
        row_states=None if row_states is None else tuple(row_states.split()),
        collective=collective,
        control_flow=control_flow,
        late=frozenset(late.split()),
        grad_keeps=tuple(grad_keeps.split()),
        grad_hints=tuple(grad_hints.split()),
        keeps_rows=keeps_rows,
        fuse_alpha=fuse_alpha,
    )


def _output_slots(
    outputs: str, rename: dict[str, str], duplicable: str, dispensable: str, intermediate: str, hidden: str
) -> tuple[Slot, ...]:
    lists, absent, saved, own = duplicable.split(), dispensable.split(), intermediate.split(), hidden.split()
    return tuple(
        Slot(
            name if name.endswith(GRAD_SUFFIX) else rename.get(name, name),
            name.replace(GRAD_SUFFIX, "_grad"),
            name in lists,
            name in absent or name in own,
            name in saved or name in own,
        )
        for name in outputs.split()
    )


def _differentiable(
    signature: Signature, dtypes: dict[int, frozenset[torch.dtype]], never: set[str]
) -> tuple[int, ...]:
    """The inputs that may have gradients: those whose values are read, unless they cannot be floating point."""
    read = {param.slot for param in signature.params if param.kind == "value"}  # not for its shape alone
    return tuple(
        i
        for i, slot in enumerate(signature.inputs)
        if i in read and slot.name not in never and not (i in dtypes and not dtypes[i] & FLOATS)
    )


def _without_gradient(forward: OpDef | None) -> set[str]:
    """What has no gradient in an operator (labels, saved statistics); it has none in the gradient operator either."""
    if forward is None:
        return set()
    never = {slot.name for i, slot in enumerate(forward.inputs) if i not in forward.differentiable}
    return never | {forward.outputs[i].name for i in forward.nograd_outputs}


def op(outputs: str = "Out", **options: Any) -> Callable[[Callable], OpDef]:
    """Register the decorated kernel as an operator with these output slots (names separated by blanks)."""
    return lambda kernel: register(define(kernel, outputs, **options))


def register_gradient(
    forward: OpDef, kernel: Callable, outputs: str | None = None, type: str | None = None, **options: Any
) -> OpDef:
    """The operator of a gradient kernel of `forward`, registered."""
    wanted = outputs.split() if outputs else [forward.inputs[i].name for i in forward.differentiable]
    duplicable = [s.name for s in forward.inputs if s.duplicable]
    gradient = define(
        kernel,
        " ".join(name + GRAD_SUFFIX for name in wanted),
        type=type or forward.type + "_grad",  # Fluid calls the gradient of cross_entropy2 cross_entropy_grad2
        duplicable=" ".join(name + GRAD_SUFFIX for name in wanted if name in duplicable),
        dispensable=" ".join(name + GRAD_SUFFIX for name in wanted),
        rename=forward.rename,
        lod=None,
        extra_attrs={**forward.extra_attrs, **{name: attr.type for name, attr in forward.attrs.items()}},
        forward=forward,
        **options,
    )
    return register(gradient)


def register(definition: OpDef) -> OpDef:
    """Make an operator known by its type."""
    if definition.type in _registry:
        raise ValueError(f"operator {definition.type} is registered twice")
    _registry[definition.type] = definition
    return definition


def find(op_type: str) -> OpDef | None:
    """The operator of this type, or None. Its file is loaded, and a derived gradient made, when it is asked for."""
    definition = _registry.get(op_type)
    if definition is None and op_type in FILE_OF:
        importlib.import_module(FILE_OF[op_type])
        definition = _registry.get(op_type)
    if definition is None and op_type.endswith("_grad"):
        forward = find(op_type.removesuffix("_grad"))
        if forward is not None:
            definition = forward.gradient
    return definition


def get(op_type: str) -> OpDef:
    found = find(op_type)
    if found is None:
        raise NotFoundError(f"operator {op_type!r} does not exist")
    return found


def all_types() -> Iterable[str]:
    """The types of all operators; every file is loaded for it."""
    for module in FILES:
        importlib.import_module(module)
    return _registry.keys()
