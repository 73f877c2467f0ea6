"""A pass over plans: merges look-ups at servers whose ids are available, into one exchange with every server.

`distributed_lookup_table`, and `split_ids`, `prefetch` and `merge_ids` for distributed tables, become one call that
fetches the rows of every table. Nothing is fetched ahead of an exchange of gradients that comes before its look-up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from refluid.core.dtypes import TORCH
from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.emit import Exchange
from refluid.distributed.server.lookup import LookUp, Placement, TableLookUps, look_up
from refluid.distributed.server.operators import fetch_barrier, recv, send, send_barrier
from refluid.distributed.server.table_operators import (
    delete_var,
    distributed_lookup_table,
    fake_init,
    merge_ids,
    prefetch,
    split_among,
    split_ids,
)
from refluid.executor import passes
from refluid.executor.codegen import emit_stores, emits
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Graph
from refluid.executor.graph.value import Value, Values
from refluid.executor.source import Source
from refluid.ir.block import Block
from refluid.ir.program import Program
from refluid.ops.nn.lookup_table import LOOKUP_TABLES
from refluid.ops.registry import Tensor, define

_EXCHANGES = (send, send_barrier, recv, fetch_barrier)


def _fetch_rows(Ids: list[Tensor]) -> list[Tensor]:
    raise NotImplementedError


# What it fetches of which table is in the attributes of its node.
FETCH_ROWS = define(_fetch_rows, "Out", type="fetch_rows", duplicable="Out", nograd="*", lod=None)


@dataclass
class _Group:
    """Look-ups of one table that one operator of the program describes."""

    gone: list[Node]  # nodes that it replaces, in their order
    node: Node
    placement: Placement
    ids: Values
    outs: Values
    look_ups: list[LookUp]
    width: int
    dtype: torch.dtype


@dataclass
class _Fetch:
    """Groups that are merged, at the position of the first."""

    groups: list[_Group] = field(default_factory=list)

    def node(self) -> Node:
        """Tables that several groups look up are requested once."""
        ordered = sorted(self.groups, key=lambda group: [one.placement for one in self.groups].index(group.placement))
        tables: list[TableLookUps] = []
        for group in ordered:
            if not tables or tables[-1].placement != group.placement:
                tables.append(TableLookUps(group.placement, [], group.width, group.dtype))
            tables[-1].look_ups += group.look_ups
        ids = [value for group in ordered for value in group.ids]
        outs = [value for group in ordered for value in group.outs]
        return Node(FETCH_ROWS, self.groups[0].node.operator, [ids], [outs], {"tables": tables})


def fetch_together(graph: Graph) -> None:
    """Merge look-ups at servers into as few exchanges as possible."""
    fetches: list[_Fetch] = []
    groups = _groups(graph)
    place = {node: i for i, node in enumerate(graph.nodes)} if groups else {}
    for group in sorted(groups, key=lambda group: place[group.gone[0]]):
        if not fetches or not _may_join(graph, place, fetches[-1].groups[0], group):
            fetches.append(_Fetch())
        fetches[-1].groups.append(group)
    replaced: dict[Node, list[Node]] = {node: [] for group in groups for node in group.gone}
    for fetch in fetches:
        replaced[fetch.groups[0].gone[0]] = [fetch.node()]
    if replaced:
        graph.rewrite(replaced.get)


def _may_join(graph: Graph, place: dict[Node, int], first: _Group, group: _Group) -> bool:
    """Whether the ids are available at the first look-up, with no exchange of gradients in between."""
    start = place[first.gone[0]]
    between = graph.nodes[start : place[group.gone[0]]]
    there = all(value is None or value.maker is None or place.get(value.maker, -1) < start for value in group.ids)
    return there and not any(node.op in _EXCHANGES for node in between)


def _groups(graph: Graph) -> list[_Group]:
    groups = []
    for node in graph.nodes:
        if node.op is distributed_lookup_table:
            groups.append(_of_parameter(node, graph.block))
        elif node.op in LOOKUP_TABLES and _asks_servers(node):
            groups.append(_of_look_up(node, graph.block))
        elif node.op is prefetch:
            group = _of_table(graph, node)
            if group is not None:
                groups.append(group)
    return groups


def _of_parameter(node: Node, block: Block) -> _Group:
    attrs, table = node.attrs, block._var_recursive(node.operator.input("W")[0])
    placement = Placement(tuple(attrs["table_names"]), tuple(attrs["endpoints"]), tuple(attrs["height_sections"]))
    column = attrs["lookup_table_version"] == "lookup_table"
    look_ups = [LookUp(attrs["padding_idx"], column, node.operator) for _ in node.inputs[0]]
    outs = node.outputs[0] or [None] * len(look_ups)
    return _Group([node], node, placement, list(node.inputs[0]), outs, look_ups, table.shape[1], TORCH[table.dtype])


def _asks_servers(node: Node) -> bool:
    attrs = node.operator.attrs
    return bool(attrs.get("remote_prefetch") and attrs.get("table_names") and attrs.get("epmap"))


def _of_look_up(node: Node, block: Block) -> _Group:
    """A lookup_table that says itself where the pieces of W are."""
    attrs, table = node.operator.attrs, block._var_recursive(node.operator.input("W")[0])
    placement = Placement(tuple(attrs["table_names"]), tuple(attrs["epmap"]), tuple(attrs["height_sections"]))
    look_up = LookUp(attrs.get("padding_idx", -1), node.op.type == "lookup_table", node.operator)
    ids, outs, dtype = [node.input("Ids")], [node.output()], TORCH[table.dtype]
    return _Group([node], node, placement, ids, outs, [look_up], table.shape[1], dtype)


def _of_table(graph: Graph, node: Node) -> _Group | None:
    """split_ids, prefetch and merge_ids as DistributeTranspiler writes them; None if something else reads theirs."""
    ids, rows = node.inputs[0][0], node.output()
    split = ids.maker if ids is not None else None
    merge = next((reader for reader in rows.readers if reader.op is merge_ids), None) if rows is not None else None
    if split is None or merge is None or split.op is not split_ids or split.outputs[0] != node.inputs[0]:
        return None
    if merge.inputs[1:] != [node.inputs[0], node.outputs[0]] or split.inputs[0] != merge.inputs[0]:
        return None
    declared = graph.block._var_recursive(node.operator.output("Out")[0])
    names = tuple(value.name for value in node.inputs[0] if value)
    look_ups = [LookUp(-1, _is_column(graph.block, value), merge.operator) for value in merge.inputs[0]]
    outs = merge.outputs[0] or [None] * len(look_ups)
    return _Group(
        [split, node, merge], merge, Placement(names, tuple(node.attrs["epmap"])), list(merge.inputs[0]), outs,
        look_ups, declared.shape[-1], TORCH[declared.dtype],
    )  # fmt: skip


def _is_column(block: Block, ids: Value | None) -> bool:
    """Whether the last axis of ids is removed, as by lookup_table; merge_ids has no such attribute."""
    shape = block._var_recursive(ids.name if ids else "").shape
    return len(shape) > 1 and shape[-1] == 1


# -- running --------------------------------------------------------------------------------------------------------


class _FetchRows(Exchange):
    """The call of a plan."""

    def __init__(self, node: Node, program: Program):
        super().__init__(node, program)
        self.tables: list[TableLookUps] = node.attrs["tables"]

    def __call__(self, ids: list[Any]) -> list[Any]:
        values, start = [], 0
        for table in self.tables:
            values.append(ids[start : start + len(table.look_ups)])
            start += len(table.look_ups)
        return [out for outs in look_up(self.tables, values, self.trainer().rows) for out in outs]


@emits(FETCH_ROWS)
def _emit_fetch(source: Source, node: Node, indent: int) -> None:
    run = source.constant(_FetchRows(node, source.program), "fetch_rows")
    given = _locals(source, node.inputs[0])
    source.line(f"[{_targets(source, node.outputs[0])}] = {run}([{given}])", node, indent)
    _pass_lods(source, node.inputs[0], node.outputs[0])


def _locals(source: Source, values: Values) -> str:
    return ", ".join(source.local(value) for value in values if value)


def _targets(source: Source, values: Values) -> str:
    return ", ".join(source.define(value) if value else "_" for value in values)


def _pass_lods(source: Source, ids: Values, outs: Values) -> None:
    """Rows are ragged as their ids."""
    for given, out in zip(ids, outs, strict=True):
        if out is not None and given is not None and given in source.lods:
            source.lods[out] = source.lods[given]


@emits(distributed_lookup_table)
def _emit_in_a_block(source: Source, node: Node, indent: int) -> None:
    _emit_fetch(source, _Fetch([_of_parameter(node, node.operator.block)]).node(), indent)


class _Remote:
    """The rows of a table that this process does not have, for programs that were not made by a transpiler.

    A program for testing is often a copy from before `transpile`: its lookup_table reads the stand-in of fake_init.
    """

    def __init__(self, node: Node, placement: Placement):
        name = node.operator.output("Out")[0]
        var = node.operator.block._var_recursive(name)
        self.name, self.endpoints = name, placement.endpoints
        self.table = TableLookUps(placement, [LookUp(-1, False)], var.shape[1], TORCH[var.dtype])

    def __call__(self, ids: torch.Tensor) -> torch.Tensor:
        from refluid.distributed.server.trainer import joined

        trainer = joined(self.endpoints)
        if trainer is None:
            raise EnforceNotMet(f"{self.name} is held by servers, and this trainer has left them")
        return look_up([self.table], [[ids]], trainer.rows)[0][0]


@emits(fake_init)
def _emit_stand_in(source: Source, node: Node, indent: int) -> None:
    (value,) = node.writes()
    placement = (source.program._remote_tables or {}).get(value.name)
    table = fake_init.kernel(**node.attrs)
    if placement is not None:
        table.remote = _Remote(node, placement)
    local = source.define(value)
    source.line(f"{local} = {source.constant(table, f'{local}_stand_in')}", node, indent)
    emit_stores(source, node, indent, fresh=True)


class _Prefetch(Exchange):
    """Rows of ids that are already split by server."""

    def __call__(self, ids: list[Any], names: list[str], empty: torch.Tensor) -> list[Any]:
        wanted: dict[str, dict[str, Any]] = {}
        for name, endpoint, value in zip(names, self.attrs["epmap"], ids, strict=True):
            if value.numel():
                wanted.setdefault(endpoint, {})[name] = value.reshape(-1).to(torch.int64)
        rows = self.trainer().rows(wanted)
        epmap = zip(names, self.attrs["epmap"], strict=True)
        return [rows.get(endpoint, {}).get(name, empty) for name, endpoint in epmap]


@emits(prefetch)
def _emit_prefetch(source: Source, node: Node, indent: int) -> None:
    names = [value.name if value else "" for value in node.inputs[0]]
    rows = node.operator.block._var_recursive(node.operator.output("Out")[0])
    run = source.constant(_Prefetch(node, source.program), "prefetch")
    empty = source.constant(torch.empty((0, rows.shape[-1]), dtype=TORCH[rows.dtype]), "no_rows")
    inputs = _locals(source, node.inputs[0])
    source.line(f"[{_targets(source, node.outputs[0])}] = {run}([{inputs}], {names!r}, {empty})", node, indent)


# -- operators that split and merge on their own ------------------------------------------------------------------


@emits(split_ids)
def _emit_split(source: Source, node: Node, indent: int) -> None:
    count = len(node.operator.output("Out"))
    outs = node.outputs[0] or [None] * count
    split, given = source.constant(split_among, "split_ids"), _locals(source, node.inputs[0])
    source.line(f"[{_targets(source, outs)}] = {split}([{given}], {count})", node, indent)


@emits(merge_ids)
def _emit_merge(source: Source, node: Node, indent: int) -> None:
    slots = ", ".join(f"[{_locals(source, values)}]" for values in node.inputs)
    targets = _targets(source, node.outputs[0])
    source.line(f"[{targets}] = {source.constant(merge_ids.kernel, 'merge_ids')}({slots})", node, indent)
    _pass_lods(source, node.inputs[0], node.outputs[0])


@emits(delete_var)
def _emit_delete(source: Source, node: Node, indent: int) -> None:
    for value in node.inputs[0]:
        if value is not None and value.persistable:  # others are deleted after their last use
            source.line(f"{source.scope_var(value.name)}.value = None", node, indent)


passes.of_other_folders.append(fetch_together)
