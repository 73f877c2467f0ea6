"""Checks of indices in a compiled model.

Code of AOTInductor checks indices inside of its parallel loops, where an exception ends the process. Here every lookup
whose indices come from the caller takes them through an operator first, which the C++ library computes
(refluid/cpp/src/indices.cc): it notes what is wrong, and the library throws when the run is over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

_ATEN = torch.ops.aten
_AXIS_AND_INDEX = {  # lookups along an axis: the arguments that hold the axis and the indices
    _ATEN.index_select.default: (1, 2),
    _ATEN.gather.default: (1, 2),
    _ATEN.scatter.src: (1, 2),
    _ATEN.scatter.value: (1, 2),
    _ATEN.scatter_add.default: (1, 2),
    _ATEN.index_add.default: (1, 2),
    _ATEN.index_copy.default: (1, 2),
}
_BY_SEVERAL = (_ATEN.index.Tensor, _ATEN.index_put.default)  # one tensor of indices per axis; negative ones count back

torch.library.define("refluid::checked", "(Tensor indices, SymInt size, bool negative, str where) -> Tensor")


@torch.library.impl("refluid::checked", "cpu")
def _checked(indices: Tensor, size: int, negative: bool, where: str) -> Tensor:
    outside = indices[(indices < (-size if negative else 0)) | (indices >= size)]
    if outside.numel():
        raise IndexError(f"{where}: expected indices below {size}, got {int(outside[0])}")
    return indices.clone()


@torch.library.register_fake("refluid::checked")
def _shape_of_checked(indices: Tensor, size: int, negative: bool, where: str) -> Tensor:
    return torch.empty_like(indices)


def check_indices(program: ExportedProgram, trusted: set[int], names: dict[str, str]) -> None:
    """Put a check before every lookup by what comes from an input, but for those inputs whose numbers are `trusted`.

    `names` are Fluid's names of the parameters of the module.
    """
    signature = program.graph_signature
    parameters = {
        spec.arg.name: spec.target or "" for spec in signature.input_specs if spec.kind != InputKind.USER_INPUT
    }
    users = [spec.arg.name for spec in signature.input_specs if spec.kind == InputKind.USER_INPUT]
    untrusted = {name for i, name in enumerate(users) if i not in trusted}
    foreign: set[Node] = set()
    for node in list(program.graph.nodes):
        if node.name in untrusted or not foreign.isdisjoint(node.all_input_nodes):
            foreign.add(node)
        for table, axis, indices, negative in _lookups(node):
            if indices in foreign:
                target = parameters.get(table.name)
                where = f"'{names.get(target, target)}'" if target else node.target.__name__.split(".")[0]
                _insert(program, node, table, axis, indices, negative, where)
    program.graph.lint()
    program.graph_module.recompile()


def _lookups(node: Node) -> Iterator[tuple[Node, int, Node, bool]]:
    """(table, axis, indices, whether negative ones are valid) of every lookup of a call."""
    args: Any = node.args
    if node.target is _ATEN.embedding.default:
        yield args[0], 0, args[1], False
    elif node.target in _AXIS_AND_INDEX:
        axis, index = _AXIS_AND_INDEX[node.target]
        yield args[0], args[axis], args[index], False
    elif node.target in _BY_SEVERAL:
        for axis, indices in enumerate(args[1]):
            if indices is not None and indices.meta["val"].dtype not in (torch.bool, torch.uint8):
                yield args[0], axis, indices, True


def _insert(
    program: ExportedProgram, node: Node, table: Node, axis: int, indices: Node, negative: bool, where: str
) -> None:
    size = table.meta["val"].shape[axis]
    with program.graph.inserting_before(node):
        length = size
        if not isinstance(size, int):
            length = program.graph.call_function(_ATEN.sym_size.int, (table, axis))
            length.meta["val"] = size
        checked = program.graph.call_function(torch.ops.refluid.checked.default, (indices, length, negative, where))
        checked.meta["val"] = torch.empty_like(indices.meta["val"])
    node.replace_input_with(indices, checked)
