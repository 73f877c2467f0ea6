"""Takes the input of a recurrent network out of its recurrence.

A cell that is written out step by step computes [x_t, h_t].W + b, where h_t comes from the step before. The part of the
x_t is the same product for all steps: it is computed for all of them at once, before the first one. What is left for
each step is h_t times a part of W, which fits the cache better, and nothing is joined. The gradients of the x_t are one
product, too, after the last step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from refluid.executor.passes.schedule import in_order
from refluid.executor.passes.uses import Uses, made_once
from refluid.executor.passes.weight_gradients import is_stacked
from refluid.executor.step import Names, Step
from refluid.ops.registry import OpDef, Shape, Tensor

FEWEST = 4  # steps for which it is worth the trouble


@dataclass
class _Use:
    """One product of a weight with two joined tensors, and the steps around it."""

    concat: Step
    product: Step
    parts: tuple[str, str]  # of the rows
    out: str
    gradient: Step | None = None  # of the product by the rows
    split: Step | None = None  # its parts


def hoist_inputs(steps: list[Step], fetches: set[str], persistable: Callable[[str], bool]) -> list[Step]:
    weights = dict.fromkeys(
        (step.inputs[1][0], step.inputs[2][0]) for step in steps if step.op.type == "mul_bias" and not step.body
    )
    for weight, bias in weights:
        steps = _hoisted(steps, weight or "", bias or "", fetches, persistable) or steps
    return steps


def _hoisted(
    steps: list[Step], weight: str, bias: str, fetches: set[str], persistable: Callable[[str], bool]
) -> list[Step] | None:
    uses = Uses(steps, fetches)
    found = [
        use for step in steps
        if step.op.type == "mul_bias" and step.inputs[1] == [weight] and step.inputs[2] == [bias]
        and (use := _use(step, uses, fetches, persistable)) is not None
    ]  # fmt: skip
    if len(found) < FEWEST or not _stay(steps, found, uses):
        return None
    side, sizes = _free_side(steps, found), _sizes(found, weight)
    if side is None or sizes is None:
        return None
    joined = {use.concat.outputs[0][0]: use for use in found}
    stacked = [step for step in steps if not joined.keys().isdisjoint(step.reads()) and not _is_part(step)]
    if not _find_gradients(steps, joined, uses) or not all(_covers(step, joined) for step in stacked):
        return None
    if _changes(steps, found, weight) or _changes(steps, found, bias):
        return None
    return in_order(_rewritten(steps, found, side, sizes, weight, bias, stacked), steps)


def _use(product: Step, uses: Uses, fetches: set[str], persistable: Callable[[str], bool]) -> _Use | None:
    x = product.inputs[0][0] or ""
    concat = uses.maker.get(x)
    if concat is None or concat.op.type != "concat" or uses.writers[x] != 1 or x in fetches or persistable(x):
        return None
    block = product.operator.block
    names = [name for name in concat.inputs[0] if name]
    variables = [block.find_var(name) for name in names]
    flat = all(var is not None and len(var.shape) == 2 and not var.lod_level for var in variables)
    if len(names) != 2 or not flat or concat.inputs[1] or concat.attrs["axis"] not in (1, -1):
        return None
    out = product.outputs[0][0] or ""
    return _Use(concat, product, (names[0], names[1]), out) if uses.writers[out] == 1 else None


def _stay(steps: list[Step], found: list[_Use], uses: Uses) -> bool:
    """Whether what the products read and give has one value in the whole run, whenever it is read."""
    fixed = made_once(steps)
    parts = {name for use in found for name in use.parts}
    return all(use.out in fixed for use in found) and all(name in fixed or not uses.writers[name] for name in parts)


def _changes(steps: list[Step], found: list[_Use], name: str) -> bool:
    """Whether the weight or bias is written before its last use here; updates come after that."""
    if name in made_once(steps):
        return False
    mine = {id(step) for use in found for step in (use.product, use.gradient)}
    last = max(i for i, step in enumerate(steps) if id(step) in mine)
    return any(name in set(step.writes()) for step in steps[: last + 1])


def _free_side(steps: list[Step], found: list[_Use]) -> int | None:
    """Which of the two parts comes from nothing that the products give, if it is one of them."""
    later = {use.out for use in found}
    for step in steps:
        if not later.isdisjoint(step.reads()):
            later.update(step.writes())
    free = [side for side in (0, 1) if not any(use.parts[side] in later for use in found)]
    return free[0] if len(free) == 1 else None


def _sizes(found: list[_Use], weight: str) -> tuple[int, int] | None:
    """How many columns the two parts have, if they are known and the same in every step."""
    block = found[0].product.operator.block
    widths = {tuple(block.var(name).shape[1] for name in use.parts) for use in found}
    (first, second), *others = widths
    fits = not others and first > 0 and second > 0 and block.var(weight).shape[0] == first + second
    return (first, second) if fits else None


def _is_part(step: Step) -> bool:
    """Whether the step is the product of joined rows, or the gradient of it by them, or of the joining."""
    return step.op.type in ("mul_bias", "concat_grad") or (
        step.op.type in ("matmul_grad", "mul_grad") and not any(step.outputs[1])
    )


def _find_gradients(steps: list[Step], joined: dict[Any, _Use], uses: Uses) -> bool:
    """Fill in the gradients of the products, where they are wanted; False if one is not as it should be."""
    for step in steps:
        if step.op.type not in ("matmul_grad", "mul_grad") or any(step.outputs[1]):
            continue
        use = joined.get(step.inputs[step.op.input_index["X"]][0])
        if use is None:
            continue
        grad = step.outputs[0][0]
        readers = [other for other in steps if grad in set(other.reads())]
        if use.gradient is not None or uses.only_for(grad) is not step or readers[0].op.type != "concat_grad":
            return False
        use.gradient, use.split = step, readers[0]
    return True


def _covers(step: Step, joined: dict[Any, _Use]) -> bool:
    """Whether the step is the gradient of the weight from all the products together."""
    return is_stacked(step) and len(step.inputs[0]) == len(joined) and set(step.inputs[0]) == set(joined)


def _rewritten(
    steps: list[Step], found: list[_Use], side: int, sizes: tuple[int, int], weight: str, bias: str, stacked: list[Step]
) -> list[Step]:
    """The steps with the products taken apart, not yet in order."""
    replaced: dict[int, list[Step]] = {}
    operator = found[0].product.operator
    cut = {"start": 0 if side == 0 else sizes[0], "length": sizes[side]}
    kept = {"start": sizes[0] if side == 0 else 0, "length": sizes[1 - side]}
    part, rows, row_grads = f"{weight}@RECURRENT", f"{weight}@INPUTS", f"{weight}@OUTPUTS@GRAD"
    ahead: Names = [use.parts[side] for use in found]
    given: Names = [f"{use.out}@INPUT" for use in found]
    first = [
        Step(_Rows, operator, [[weight]], [[part]], kept),
        Step(_Stack, operator, [ahead], [[rows]], {}),
        Step(_Ahead, operator, [ahead, [rows], [weight], [bias]], [given], cut),
    ]
    grads: Names = []
    outs: Names = []
    for use, name in zip(found, given, strict=True):
        added = Step(_Added, use.product.operator, [[name], [use.parts[1 - side]], [part]], [[use.out]], {})
        replaced[id(use.concat)], replaced[id(use.product)] = [], [*first, added]
        first = []
        if use.gradient is not None and use.split is not None:
            grad = use.gradient.inputs[use.gradient.op.input_index["Out@GRAD"]]
            grads += grad
            outs.append(use.split.outputs[0][side])
            wanted = use.split.outputs[0][1 - side]
            back = Step(_Back, use.gradient.operator, [grad, [part]], [[wanted]], {})
            replaced[id(use.gradient)] = [back] if wanted else []
            replaced[id(use.split)] = []
    if any(outs):
        gradients = {id(use.gradient) for use in found}
        last = next(step for step in reversed(steps) if id(step) in gradients)
        replaced[id(last)] += [
            Step(_Stack, last.operator, [grads], [[row_grads]], {}),
            Step(_Behind, last.operator, [grads, [row_grads], [weight]], [outs], cut),
        ]
    for step in stacked:
        by_rows = dict(zip(step.inputs[0], step.inputs[1], strict=True))
        theirs: Names = [by_rows[use.concat.outputs[0][0]] for use in found]
        others: Names = [use.parts[1 - side] for use in found]
        inputs: list[Names] = [[rows], others] if side == 0 else [others, [rows]]
        inputs.append([row_grads] if theirs == grads and any(outs) else theirs)
        replaced[id(step)] = [Step(_StackedParts, step.operator, inputs, step.outputs, {})]
    return [new for step in steps for new in replaced.get(id(step), [step])]


def _rows(W: Tensor, *, start: int, length: int) -> Tensor:
    return W.narrow(0, start, length)


def _stack(X: list[Tensor]) -> Tensor:
    return torch.cat(X)


def _ahead(X: list[Shape], Rows: Tensor, W: Tensor, B: Tensor, *, start: int, length: int) -> list[Tensor]:
    """X_t.W' + B for all t, where W' are some rows of W, and Rows all X_t below one another."""
    out = torch.addmm(B, Rows, W.narrow(0, start, length))
    return list(out.split_with_sizes([x[0] for x in X]))


def _behind(G: list[Shape], Rows: Tensor, W: Tensor, *, start: int, length: int) -> list[Tensor]:
    """The gradients of the X_t of `_ahead`."""
    grads = torch.mm(Rows, W.narrow(0, start, length).t())
    return list(grads.split_with_sizes([g[0] for g in G]))


def _added(P: Tensor, H: Tensor, W: Tensor) -> Tensor:
    return torch.addmm(P, H, W)


def _back(G: Tensor, W: Tensor) -> Tensor:
    return torch.mm(G, W.t())


def _stacked_parts(A: list[Tensor], B: list[Tensor], G: list[Tensor], *, needs: tuple[bool, ...]) -> Any:
    """The gradient of the weight of all [A_t, B_t], and of the bias."""
    a, b, grads = (parts[0] if len(parts) == 1 else torch.cat(parts) for parts in (A, B, G))
    return torch.mm(torch.cat([a, b], 1).t(), grads), grads.sum(0) if needs[1] else None


# Not registered: they exist in plans only.
_Rows = OpDef(_rows, "Out", type="rows", lod=None, nograd="*")
_Stack = OpDef(_stack, "Out", type="stacked", lod=None, nograd="*")
_Ahead = OpDef(_ahead, "Out", type="inputs_ahead", duplicable="Out", lod=None, nograd="*")
_Behind = OpDef(_behind, "Out", type="inputs_behind", duplicable="Out", lod=None, nograd="*")
_Added = OpDef(_added, "Out", type="added_product", lod=None, nograd="*")
_Back = OpDef(_back, "Out", type="product_with_turned", lod=None, nograd="*")
_StackedParts = OpDef(
    _stacked_parts, "Out Bias", type="product_of_stacked_parts", dispensable="Bias", lod=None, nograd="*"
)
