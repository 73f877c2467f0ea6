"""One product in place of many: the gradient of a weight that a network uses again and again (an unrolled loop).

The sum of X_i'.G_i over all uses is the product of all X_i below one another with all G_i below one another. The
gradient of a bias that goes with the weight is the sum of the rows of the latter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch

from refluid.executor.passes.uses import made_once
from refluid.executor.step import Step
from refluid.ops.registry import OpDef, Tensor


def stack_weight_gradients(steps: list[Step], fetches: set[str], persistable: Callable[[str], bool]) -> list[Step]:
    """`sum` of gradients of one matrix, each made by a matmul_grad or mul_grad for it alone, becomes one product."""
    reads = Counter(name for step in steps for name in step.reads())
    writes = Counter(name for step in steps for name in step.writes())
    fixed = made_once(steps)

    def stays(name: str | None) -> bool:
        """Whether the variable has the same value when the product is computed, after its uses."""
        return name in fixed or not writes[name or ""]

    maker = {name: step for step in steps if not step.body for name in step.writes()}
    first_read = {name: i for i, step in reversed([*enumerate(steps)]) for name in step.reads()}

    def parts_of(step: Step, fits: Callable[[Step, str, Callable], bool]) -> list[Step]:
        """The steps that make what a `sum` adds up, if all of them fit and nobody else reads what they make."""
        names = [name for name in step.inputs[0] if name] if step.op.type == "sum" and not step.body else []
        alone = all(
            reads[name] == writes[name] == 1 and name not in fetches and not persistable(name) for name in names
        )
        parts = [maker[name] for name in names if alone and name in maker and fits(maker[name], name, stays)]
        return parts if 2 <= len(names) == len(parts) else []

    products = {i: parts for i, step in enumerate(steps) if (parts := parts_of(step, _is_product))}
    # Sums of gradients of a bias, by the gradients of what it was added to.
    biases = {
        frozenset(part.outputs[0][0] for part in parts): (i, parts)
        for i, step in enumerate(steps) if (parts := parts_of(step, _is_bias))
    }  # fmt: skip
    result: list[Step | None] = list(steps)
    for i, parts in products.items():
        xs = [name for part in parts for name in part.inputs[part.op.input_index["X"]]]
        grads = [name for part in parts for name in part.inputs[part.op.input_index["Out@GRAD"]]]
        outputs, place = [steps[i].outputs[0], []], i
        at, adding = biases.get(frozenset(grads), (i, []))
        if adding and all(first_read.get(steps[k].outputs[0][0] or "", len(steps)) > max(i, at) for k in (i, at)):
            outputs[1], place = steps[at].outputs[0], max(i, at)
            result[at] = None
        for part in (*parts, *(adding if outputs[1] else ())):
            part.outputs[1] = []
        result[i] = None
        result[place] = Step(_Stacked, steps[i].operator, [xs, grads], outputs, {}, label="product_of_stacked")
    return [step for step in result if step is not None and (step.body or step.op.side_effect or _gives(step))]


def _is_product(step: Step, name: str, stays: Callable[[str | None], bool]) -> bool:
    """Whether the step computes X'.Out@GRAD under this name, from values that stay as they are."""
    if step.op.type == "matmul_grad":
        flat = not step.attrs["transpose_X"] and not step.attrs["transpose_Y"] and step.attrs["alpha"] == 1.0
    elif step.op.type == "mul_grad":
        flat = step.attrs["y_num_col_dims"] == 1
    else:
        return False
    if not flat or step.outputs[1] != [name]:
        return False
    block = step.operator.block
    (x,), (y,), (grad,) = (step.inputs[step.op.input_index[slot]] for slot in ("X", "Y", "Out@GRAD"))
    found = [block.find_var(n or "") for n in (x, y)]
    if any(var is None for var in found) or not stays(x) or not stays(grad):
        return False
    x_rank, y_rank = (len(var.shape) for var in found if var is not None)
    columns = x_rank - 1 if step.op.type == "matmul_grad" else step.attrs["x_num_col_dims"]
    return y_rank == 2 and x_rank >= 2 and columns == x_rank - 1


def _is_bias(step: Step, name: str, stays: Callable[[str | None], bool]) -> bool:
    """Whether the step gives the gradient of a vector that was added to every row, and that of the rows unchanged."""
    if step.op.type != "elementwise_add_grad" or step.outputs[1] != [name] or not any(step.outputs[0]):
        return False
    operator = step.operator
    x, y = (operator.block.find_var(operator.input(slot)[0]) for slot in ("X", "Y"))
    if x is None or y is None or len(x.shape) < 2 or len(y.shape) != 1:
        return False
    return step.attrs["axis"] in (-1, len(x.shape) - 1) and x.shape[-1] == y.shape[0] > 0


def _gives(step: Step) -> bool:
    return bool(step.merged) or any(name for names in step.outputs for name in names)


def _product(X: list[Tensor], G: list[Tensor], *, needs: tuple[bool, ...]) -> Any:
    """The sum of X_i'.G_i, with all axes of each but the last as rows, and the sum of all rows of the G_i."""
    grads = torch.cat([g if g.dim() == 2 else g.flatten(0, -2) for g in G])
    weight = torch.mm(torch.cat([x if x.dim() == 2 else x.flatten(0, -2) for x in X]).t(), grads)
    return weight, grads.sum(0) if needs[1] else None


# Not registered: it exists in plans only.
_Stacked = OpDef(_product, "Out Bias", type="product_of_stacked", dispensable="Bias", lod=None, nograd="*")


def is_stacked(step: Step) -> bool:
    return step.op is _Stacked
