"""A pass over plans: gradients of one ring are all-reduced in flat buckets, overlapped with the backward pass.

A bucket starts where its last gradient is computed and is waited for where one of its sums is first read. Which
gradients share a bucket depends on the program alone, not on what a rank fetches, so all ranks form the same buckets.
Before a program exchanges anything ranks compare what they are going to exchange, Note [Comparing ranks].
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import torch

from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.distributed import ring as rings
from refluid.distributed.agreement import Agreement
from refluid.distributed.bucket_outputs import compute_in_buckets
from refluid.distributed.buckets import BYTES, FIRST_BYTES, Bucket, Layout
from refluid.distributed.collective_ops import c_allreduce_sum, c_sync_calc_stream, c_sync_comm_stream
from refluid.distributed.ring import Exchange
from refluid.distributed.sync_batch_norm import BACKWARD, FORWARD
from refluid.executor import passes
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph, replace
from refluid.executor.graph.value import Value, Values
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ops.registry import Tensor, define
from refluid.tensor.selected_rows import SelectedRows


def _start(X: list[Tensor]) -> Tensor:
    raise NotImplementedError


def _wait(Started: Tensor) -> list[Tensor]:
    raise NotImplementedError


def _compare() -> None: ...


# Their kernels are made per bucket.
START = define(_start, "Started", type="start_exchange", nograd="*", lod=None, side_effect=True)
WAIT = define(_wait, "Out", type="wait_for_exchange", nograd="*", lod=None, side_effect=True, duplicable="Out")
COMPARE = define(_compare, "", type="compare_ranks", nograd="*", side_effect=True)


def exchange_in_buckets(graph: Graph) -> None:
    """Merge sums of gradients, and compare ranks before the first exchange."""
    block = graph.block
    exchanges = [op for op in block.ops if _exchanges(op)]
    if not exchanges:
        return
    _drop_identities(graph)
    buckets = list(_buckets(block))
    inside = {id(op): group for group in buckets for op in group}
    sums = {id(node.operator): node for node in graph.nodes if node.op is c_allreduce_sum}
    slices = {
        sums[id(op)]: (_memory(group, block), i) for group in buckets for i, op in enumerate(group) if id(op) in sums
    }
    compute_in_buckets(graph, slices)
    _update_in_order(graph, {name: number for number, group in enumerate(buckets) for name in _names(group)})
    waiting: dict[Value, Node] = {}  # results of a bucket, and the node that waits for them
    result: list[Node] = []
    compared = False
    for node in graph.nodes:
        if not compared and _exchanges(node.operator):
            result.append(_comparison(node.operator, exchanges))
            compared = True
        for value in dict.fromkeys(node.reads()):
            if (wait := waiting.get(value)) is not None and wait not in result:
                result.append(wait)
        group = inside.get(id(node.operator)) if node.op is c_allreduce_sum else None
        if group is None:
            if node.op.collective:
                node.kernel = _trusting(node, block)
            result.append(node)
        elif group[-1] is node.operator:
            start, wait = _nodes([sums[id(op)] for op in group], block, len(result))
            result.append(start)
            waiting.update(dict.fromkeys(wait.writes(), wait))
    result += [wait for wait in dict.fromkeys(waiting.values()) if wait not in result]
    graph.set(result)


def _drop_identities(graph: Graph) -> None:
    """Synchronisations of streams change nothing."""
    for node in graph.nodes:
        output = node.output() if _is_identity(node.operator) else None
        if output is not None:
            source = node.inputs[0][0]
            assert source is not None
            replace(graph, output, source)
    graph.set([node for node in graph.nodes if not _is_identity(node.operator)])


def _exchanges(op: Operator) -> bool:
    """Whether ranks meet in an operator."""
    if op.definition in (FORWARD, BACKWARD):
        ring = rings.find(0)
        return ring is not None and ring.size > 1 and not op.attrs.get("is_test")
    return op.definition is not None and op.definition.collective


def _update_in_order(graph: Graph, numbers: dict[str, int]) -> None:
    """Neighbouring updates in the order in which their gradients arrive: the first run while the last are sent."""
    result: list[Node] = []
    for is_update, run in itertools.groupby(graph.nodes, lambda node: node.op.rules.fused is not None):
        nodes = list(run)
        written = [value.name for node in nodes for value in node.writes()]
        if is_update and len(written) == len(set(written)):
            nodes.sort(key=lambda node: max((numbers.get(value.name, -1) for value in node.reads()), default=-1))
        result += nodes
    graph.set(result)


# -- which sums go together -----------------------------------------------------------------------------------------


def _buckets(block: Block) -> Iterator[list[Operator]]:
    """Groups of sums of one ring and dtype with nothing between them that reads or changes what they sum."""
    open_groups: dict[Any, list[Operator]] = {}
    first = True
    for op in block.ops:
        if _is_identity(op):
            continue
        kind = _kind(op, block)
        touched = _touched(op)
        for key, group in list(open_groups.items()):
            if touched & set(_names(group)):
                yield open_groups.pop(key)
                first = False
        if kind is not None:
            open_groups.setdefault(kind, []).append(op)
            if _size(open_groups[kind], block) >= (FIRST_BYTES if first else BYTES):
                yield open_groups.pop(kind)
                first = False
    yield from open_groups.values()


def _names(group: list[Operator]) -> list[str]:
    return [op.input("X")[0] for op in group]


def _kind(op: Operator, block: Block) -> tuple[int, VarType] | None:
    """(ring, dtype) of a sum in place of a dense variable whose size is known; None of anything else."""
    if op.type != "c_allreduce_sum" or op.input("X") != op.output("Out"):
        return None
    var = block.find_var(op.input("X")[0])
    if var is None or var.persistable or var.type != VarType.LOD_TENSOR or any(size < 0 for size in var.shape):
        return None
    return op.attrs["ring_id"], var.dtype


def _size(ops: list[Operator], block: Block) -> int:
    return sum(_layout(op, block).numel() * _layout(op, block).dtype.itemsize for op in ops)


def _layout(op: Operator, block: Block) -> Layout:
    var = block.find_var(op.input("X")[0])
    assert var is not None
    made = torch.empty(tuple(var.shape), dtype=dtypes.TORCH[var.dtype], device="meta")
    return Layout(tuple(made.shape), made.stride(), made.dtype, torch.device("cpu"))


def _is_identity(op: Operator) -> bool:
    return op.definition in (c_sync_calc_stream, c_sync_comm_stream) and op.input("X") == op.output("Out")


def _touched(op: Operator) -> set[str]:
    found = {*op.input_arg_names, *op.output_arg_names}
    return found.union(*(_touched(inner) for inner in op.sub_block.ops)) if op.sub_block is not None else found


# -- the nodes ------------------------------------------------------------------------------------------------------


def _nodes(sums: list[Node], block: Block, number: int) -> tuple[Node, Node]:
    group = [node.operator for node in sums]
    bucket = _memory(group, block)
    ring_id = group[0].attrs["ring_id"]
    what = f"gradients from {group[0].input('X')[0]} to {group[-1].input('X')[0]}"

    def start(X: list[Tensor]) -> Exchange:
        for i, value in enumerate(X):
            bucket.lay_out(i, value.stride())
            bucket.put(i, value)
        return rings.get(ring_id).all_reduce(bucket.flat, what=what, agreed=True)

    def wait(Started: Exchange) -> list[Tensor]:
        Started.wait()
        return list(bucket.views)

    started, operator = Value(f"exchange_{number}"), group[-1]
    addends: Values = [node.inputs[0][0] for node in sums]
    outputs: Values = [node.output() for node in sums]
    return (
        Node(START, operator, [addends], [[started]], {}, kernel=start, label="start_exchange"),
        Node(WAIT, operator, [[started]], [outputs], {}, kernel=wait, label="wait_for_exchange"),
    )


def _memory(group: list[Operator], block: Block) -> Bucket:
    """The plans of a program, one for every list of fetches, share it: they never run at the same time."""
    key = ("bucket", *_names(group))
    plans = block.program.plans
    if key not in plans:
        plans[key] = Bucket([_layout(op, block) for op in group])
    return plans[key]


def _comparison(operator: Operator, exchanges: list[Operator]) -> Node:
    agreement = Agreement("the exchanges of the programs", [_line(op) for op in exchanges])
    ring_ids = sorted({op.attrs.get("ring_id", 0) for op in exchanges})

    def compare() -> None:
        for ring_id in ring_ids:
            agreement.settle(rings.get(ring_id))

    return Node(COMPARE, operator, [], [], {}, kernel=compare, label="compare_ranks")


def _trusting(node: Node, block: Block) -> Callable:
    """The kernel of a node that needs no comparison of its own where its input has the size that the program tells."""
    inner = node.kernel or node.op.kernel
    var = block.find_var(node.operator.input("X")[0])
    declared = tuple(var.shape) if var is not None else None
    ring_id = node.attrs.get("ring_id", 0)

    def kernel(X: Any, **attrs: object) -> Any:
        sparse = isinstance(X, SelectedRows)
        if declared is None or (tuple(X.value.shape[1:]) != declared[1:] if sparse else tuple(X.shape) != declared):
            return inner(X, **attrs)
        with rings.get(ring_id).trusted():
            return inner(X, **attrs)

    return kernel


def _line(op: Operator) -> str:
    name = op.input("X")[0]
    var = op.block.find_var(name)
    shape = list(var.shape) if var is not None else "?"
    return f"{op.type} of {name} {shape} on ring {op.attrs.get('ring_id', 0)}"


passes.of_other_folders.append(exchange_in_buckets)
