"""One product in place of many: the gradient of a weight that a network uses again and again (an unrolled loop).

The sum of X_i'.G_i over all uses is the product of all X_i below one another with all G_i below one another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch

from refluid.executor.step import Step
from refluid.ops.registry import OpDef, Tensor


def stack_weight_gradients(steps: list[Step], fetches: set[str], persistable: Callable[[str], bool]) -> list[Step]:
    """`sum` of gradients of one matrix, each made by a matmul_grad or mul_grad for it alone, becomes one product."""
    reads = Counter(name for step in steps for name in step.reads())
    writes = Counter(name for step in steps for name in step.writes())
    maker = {name: step for step in steps if not step.body for name in step.writes()}
    result = []
    for step in steps:
        names = [name for name in step.inputs[0] if name] if step.op.type == "sum" and not step.body else []
        parts = [maker.get(name) for name in names]
        if len(parts) < 2 or not all(
            part is not None
            and reads[name] == writes[name] == 1
            and name not in fetches
            and not persistable(name)
            and _is_plain(part, name, writes)
            for name, part in zip(names, parts, strict=True)
        ):
            result.append(step)
            continue
        xs, grads = [], []
        for part in parts:
            assert part is not None
            xs += part.inputs[part.op.input_index["X"]]
            grads += part.inputs[part.op.input_index["Out@GRAD"]]
            part.outputs[1] = []
        result.append(Step(_Stacked, step.operator, [xs, grads], step.outputs, {}, label="product_of_stacked"))
    return [step for step in result if step.body or step.op.side_effect or _gives(step)]


def _is_plain(step: Step, name: str, writes: Counter) -> bool:
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
    if any(var is None for var in found) or writes[x or ""] > 1 or writes[grad or ""] > 1:
        return False
    x_rank, y_rank = (len(var.shape) for var in found if var is not None)
    columns = x_rank - 1 if step.op.type == "matmul_grad" else step.attrs["x_num_col_dims"]
    return y_rank == 2 and x_rank >= 2 and columns == x_rank - 1


def _gives(step: Step) -> bool:
    return bool(step.merged) or any(name for names in step.outputs for name in names)


def _product(X: list[Tensor], G: list[Tensor]) -> Any:
    """The sum of X_i'.G_i, with all axes of each but the last as rows."""
    return torch.mm(
        torch.cat([x if x.dim() == 2 else x.flatten(0, -2) for x in X]).t(),
        torch.cat([g if g.dim() == 2 else g.flatten(0, -2) for g in G]),
    )


# Not registered: it exists in plans only.
_Stacked = OpDef(_product, "Out", type="product_of_stacked", lod=None, nograd="*")
