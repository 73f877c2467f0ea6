"""Pools before it rectifies: the largest of rectified values is the rectified largest, and there are fewer of those.

The gradient is the same too: where the largest is not positive, nothing passes the rectifier in either order.
"""

from __future__ import annotations

from collections.abc import Callable

from refluid.executor.step import Step

_POOLINGS = {"pool2d", "pool3d"}


def rectify_last(steps: list[Step], fetches: set[str], persistable: Callable[[str], bool]) -> list[Step]:
    """pool(relu(x)) becomes relu(pool(x)), and their gradients change places too."""
    readers: dict[str, list[Step]] = {}
    writers: dict[str, list[Step]] = {}
    for step in steps:
        for name in set(step.reads()):
            readers.setdefault(name, []).append(step)
        for name in step.writes():
            writers.setdefault(name, []).append(step)

    def own(name: str | None) -> bool:
        """Whether it is a temporary that one step makes and nobody asks for."""
        return (
            bool(name) and len(writers.get(name or "", ())) == 1 and name not in fetches and not persistable(name or "")
        )

    before: dict[int, Step] = {}  # what comes right before or after a step that stays
    after: dict[int, Step] = {}
    for relu in steps:
        if relu.op.type != "relu" or not own(relu.outputs[0][0]) or not own(relu.inputs[0][0]):
            continue
        uses = _Uses(relu, readers)
        if not uses.fit or not own(uses.pool.outputs[0][0]):
            continue
        if uses.pool_grad is not None and uses.relu_grad is not None:
            between = uses.pool_grad.outputs[0][0]
            if not own(between) or readers.get(between or "") != [uses.relu_grad]:
                continue
            _swap_gradients(relu, uses.pool_grad, uses.relu_grad, uses.pool.outputs[0][0] or "")
            before[id(uses.pool_grad)] = uses.relu_grad
        _swap(relu, uses.pool)
        after[id(uses.pool)] = relu
    moved = {id(step) for step in (*before.values(), *after.values())}
    result = []
    for step in steps:
        if id(step) not in moved:
            result += [one for one in (before.get(id(step)), step, after.get(id(step))) if one is not None]
    return result


class _Uses:
    """Who reads what a rectifier gives: a pooling, and the gradients of both or of neither, if it fits."""

    def __init__(self, relu: Step, readers: dict[str, list[Step]]):
        found = readers.get(relu.outputs[0][0] or "", [])
        pools = [s for s in found if s.op.type in _POOLINGS and s.attrs.get("pooling_type") == "max"]
        pool_grads = [s for s in found if s.op.forward is not None and s.op.forward.type in _POOLINGS]
        relu_grads = [s for s in found if s.op.type == "relu_grad"]
        self.fit = len(pools) == 1 and len(pool_grads) == len(relu_grads) <= 1
        self.fit = self.fit and len(found) == len(pools) + len(pool_grads) + len(relu_grads)
        if self.fit:
            self.pool = pools[0]
            self.pool_grad = pool_grads[0] if pool_grads else None
            self.relu_grad = relu_grads[0] if relu_grads else None


def _swap(relu: Step, pool: Step) -> None:
    x, out = relu.inputs[0][0], pool.outputs[0][0]
    largest = f"{out}@largest"
    pool.inputs[0], pool.outputs[0] = [x], [largest]
    relu.inputs[0], relu.outputs[0] = [largest], [out]


def _swap_gradients(relu: Step, pool_grad: Step, relu_grad: Step, out: str) -> None:
    slots, relu_slots = pool_grad.op.input_index, relu_grad.op.input_index
    x_grad = relu_grad.outputs[0]
    largest_grad = f"{out}@largest@GRAD"
    relu_grad.inputs[relu_slots["Out"]] = [out]
    relu_grad.inputs[relu_slots["Out@GRAD"]] = pool_grad.inputs[slots["Out@GRAD"]]
    relu_grad.outputs[0] = [largest_grad]
    pool_grad.inputs[slots["X"]] = [relu.inputs[0][0]]
    pool_grad.inputs[slots["Out@GRAD"]] = [largest_grad]
    pool_grad.outputs[0] = x_grad
