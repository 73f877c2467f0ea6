"""Packs the filters of convolutions as oneDNN wants them, and computes what follows a convolution in the same call.

oneDNN reorders the filter on every call otherwise, and an activation, or the addition of a residual, is one more pass
over memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from refluid.core.dtypes import VarType
from refluid.executor.derived import Derived
from refluid.executor.passes.inplace import FRESH, last_reads
from refluid.executor.passes.packed import ConvPacked, pack
from refluid.executor.passes.uses import Uses
from refluid.executor.step import Names, Step

# An activation's attributes -> what oneDNN calls it, and its numbers; None where it has none such. Its relu and what
# else cuts off at constants make 0 of NaN, so those stay calls of their own, in place: a NaN must reach the user.
_ACTIVATIONS: dict[str, Callable[[dict[str, Any]], tuple[str, list[float]] | None]] = {
    "leaky_relu": lambda attrs: ("leaky_relu", [a]) if 0 < (a := attrs.get("alpha", 0.02)) <= 1 else None,
    "sigmoid": lambda attrs: ("sigmoid", []),
    "tanh": lambda attrs: ("tanh", []),
    "hard_swish": lambda attrs: ("hardswish", []) if _is_standard(attrs) else None,
    "swish": lambda attrs: ("swish", []) if attrs.get("beta", 1.0) == 1.0 else None,
}


def _is_standard(attrs: dict[str, Any]) -> bool:
    return (attrs.get("threshold", 6.0), attrs.get("scale", 6.0), attrs.get("offset", 3.0)) == (6.0, 6.0, 3.0)


def pack_convolutions(
    steps: list[Step], feeds: set[str], fetches: set[str], persistable: Callable[[str], bool], device: torch.device,
    derived: dict[str, Derived],
) -> list[Step]:  # fmt: skip
    """conv2d -> activation, or conv2d -> elementwise_add, becomes one call."""
    if device.type != "cpu" or not torch.backends.mkldnn.is_available():
        return steps
    written = {name for step in steps for name in step.writes()}

    def constant(name: str | None) -> bool:
        return name is None or name in derived or (persistable(name) and name not in written)

    def own(name: str) -> bool:
        return name not in feeds | fetches and not persistable(name)

    steps = [_packed(step, derived) if _can_pack(step, constant) else step for step in steps]
    return _fuse_additions(_fuse_activations(steps, fetches), fetches, own)


def _can_pack(step: Step, constant: Callable[[str | None], bool]) -> bool:
    if step.op.type not in ("conv2d", "depthwise_conv2d") or not step.outputs[0]:
        return False
    attrs, block = step.attrs, step.operator.block
    image, output = block.find_var(step.inputs[0][0] or ""), block.find_var(step.outputs[0][0] or "")
    return (
        all(constant(name) for names in step.inputs[1:] for name in names)
        and attrs.get("data_format", "NCHW") in ("NCHW", "AnyLayout")
        and attrs.get("padding_algorithm", "EXPLICIT") == "EXPLICIT"
        and len(attrs.get("paddings", (0, 0))) == 2
        and image is not None
        and output is not None
        and len(image.shape) == 4
        and image.dtype == output.dtype == VarType.FP32
    )


def _packed(step: Step, derived: dict[str, Derived]) -> Step:
    (image,), (filters,), bias = step.inputs
    geometry = {
        key: step.attrs.get(key, attr.default) for key, attr in ConvPacked.attrs.items() if key in step.op.attrs
    }
    name = f"{step.outputs[0][0]}@filter"  # two convolutions may share a filter and want it packed in two ways
    source = derived.pop(filters or "", None) or filters or ""
    sizes = step.operator.block.var(image or "").shape[2:]
    derived[name] = Derived(partial(pack, sizes=sizes, **geometry), (source,))
    return Step(ConvPacked, step.operator, [[image], [name], bias, []], step.outputs, geometry)


def _fuse_activations(steps: list[Step], fetches: set[str]) -> list[Step]:
    uses = Uses(steps, fetches)
    result = []
    for step in steps:
        known = _ACTIVATIONS.get(step.op.type)
        conv = uses.only_for(step.inputs[0][0]) if known is not None else None
        act = known(step.attrs) if known is not None and conv is not None and _is_plain(conv) else None
        if conv is None or act is None:
            result.append(step)
        else:
            conv.outputs = step.outputs
            conv.attrs = {**conv.attrs, "act": act[0], "numbers": act[1]}
    return result


def _is_plain(step: Step) -> bool:
    return step.op is ConvPacked and "act" not in step.attrs


def _fuse_additions(steps: list[Step], fetches: set[str], own: Callable[[str], bool]) -> list[Step]:
    """An addition goes into the convolution that makes one side, where the other side may be written over."""
    uses = Uses(steps, fetches)
    last, viewed = last_reads(steps)
    place = {id(step): i for i, step in enumerate(steps)}
    written_over: set[str] = set()
    gone: set[int] = set()

    def can_take(conv: Step | None, other: str, at: int) -> bool:
        if conv is None or not _is_plain(conv) or conv.inputs[3]:
            return False
        image, maker = conv.inputs[0][0] or "", uses.maker.get(other)
        # The convolution moves to the place of the addition: its image must still be there.
        stays = image != other and image not in written_over and uses.writers[image] <= 1
        fresh = maker is not None and maker.op.type in FRESH and uses.writers[other] == 1
        return stays and fresh and own(other) and last[other] == at and other not in viewed

    result: list[Step] = []
    for i, step in enumerate(steps):
        if step.op.type == "elementwise_add" and _same_shapes(step):
            x, y = (names[0] or "" for names in step.inputs[:2])
            found = [(uses.only_for(made), other) for made, other in ((x, y), (y, x))]
            pairs = [(conv, other) for conv, other in found if conv is not None and can_take(conv, other, i)]
            if pairs:
                conv, other = max(pairs, key=lambda pair: place[id(pair[0])])
                gone.add(id(conv))
                written_over.add(other)
                inputs: list[Names] = [*conv.inputs[:3], [other]]
                step = Step(conv.op, conv.operator, inputs, step.outputs, conv.attrs)
        result.append(step)
    return [step for step in result if id(step) not in gone]


def _same_shapes(add: Step) -> bool:
    names = [*add.inputs[0], *add.inputs[1]]
    found = [add.operator.block.find_var(name or "") for name in names]
    return len(found) == 2 and None not in found and found[0].shape == found[1].shape  # type: ignore[union-attr]
