"""Plans compute gradients inside of their buckets: products are accumulated there, and nothing is copied."""

from __future__ import annotations

from typing import Any

from refluid.distributed.buckets import Bucket
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value
from refluid.ops.registry import Tensor
from refluid.ops.signature import GRAD_SUFFIX


def compute_in_buckets(graph: Graph, slices: dict[Node, tuple[Bucket, int]]) -> None:
    """Let nodes write these gradients into their slices (bucket, number), where their operators can."""
    for node, (bucket, number) in slices.items():
        value = node.inputs[0][0]
        if value is not None and _can(graph, value):
            _write_into(value, bucket, number)


def _can(graph: Graph, value: Value) -> bool:
    maker = value.maker
    return (
        maker is not None
        and maker.region is graph
        and maker.body is None
        and maker.kernel is None
        and not maker.attrs.get("is_sparse")
        and maker.op.outputs[_slot(maker, value)].name.removesuffix(GRAD_SUFFIX) in maker.op.rules.adds
    )


def _slot(node: Node, value: Value) -> int:
    return next(i for i, values in enumerate(node.outputs) if value in values)


def _write_into(value: Value, bucket: Bucket, number: int) -> None:
    node = value.maker
    assert node is not None
    op, slot = node.op, _slot(node, value)
    add = op.rules.adds[op.outputs[slot].name.removesuffix(GRAD_SUFFIX)]
    takes_needs = "needs" in op.engine

    def make(*args: object, needs: tuple[bool, ...] = (), **attrs: object) -> Any:
        out = bucket.views[number]
        asked = {"needs": needs} if takes_needs else {}
        if not add(out.zero_(), *args, **attrs):
            return op.kernel(*args, **attrs, **asked)
        if op.single:
            return out
        left = tuple(need and i != slot for i, need in enumerate(needs))
        others: list[Tensor | None] = [None] * len(op.outputs)
        if any(left):
            others = list(op.kernel(*args, **attrs, needs=left))
        others[slot] = out
        return others

    node.kernel, node.label = make, f"{op.type}_in_bucket"
