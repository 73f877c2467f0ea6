"""Graph: the global block of a program as nodes, one for each operator and one for each value that a variable has.

Note [Versions]. A variable that is written twice has two nodes of its name. What reads the first must run before what
writes the second, though no value leads from the one to the other: an empty node, a control dependency, says so.
"""

from __future__ import annotations

import copy
import enum
import itertools
from collections.abc import Iterable
from typing import Any

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.ir.clone import copy_operator, relink_blocks
from refluid.ir.desc import OpDesc, ProgramDesc, VarDesc
from refluid.ir.operator import EMPTY
from refluid.ir.program import Program

CONTROL = "__control_var"


class Node:
    """An operator or one value of a variable. Its name is what it was called when the node was made."""

    class Type(enum.IntEnum):
        Operation = 0
        Variable = 1

        def __str__(self) -> str:
            return f"Type.{self.name}"

    Operation, Variable = Type.Operation, Type.Variable

    def __init__(self, number: int, name: str, kind: Type, desc: OpDesc | VarDesc | None):
        self._id, self._name, self._kind, self._desc = number, name, kind, desc
        self.inputs: list[Node] = []
        self.outputs: list[Node] = []

    def id(self) -> int:
        return self._id

    def name(self) -> str:
        return self._name

    def node_type(self) -> Type:
        return self._kind

    def is_op(self) -> bool:
        return self._kind is Node.Operation

    def is_var(self) -> bool:
        return self._kind is Node.Variable

    def is_ctrl_var(self) -> bool:
        return self.is_var() and CONTROL in self._name

    def op(self) -> OpDesc | None:
        return self._desc if isinstance(self._desc, OpDesc) else None

    def var(self) -> VarDesc | None:
        return self._desc if isinstance(self._desc, VarDesc) else None

    def append_input(self, node: Node) -> None:
        self.inputs.append(node)

    def append_output(self, node: Node) -> None:
        self.outputs.append(node)

    def remove_input(self, node: Node | int) -> None:
        self.inputs = [other for other in self.inputs if node not in (other, other.id())]

    def remove_output(self, node: Node | int) -> None:
        self.outputs = [other for other in self.outputs if node not in (other, other.id())]

    def clear_inputs(self) -> None:
        self.inputs = []

    def clear_outputs(self) -> None:
        self.outputs = []

    def __repr__(self) -> str:
        return f"<Node {self._id}: {self._name}>"


class Graph:
    """The graph of a program; the program itself stays as it is.

    Args:
        program: `program.desc`.
    """

    def __init__(self, program: ProgramDesc):
        if not isinstance(program, ProgramDesc):
            raise ArgumentError(f"Graph: expected the desc of a Program, got {type(program).__name__}")
        self._program: Program = program.of.clone()
        self._nodes: dict[int, Node] = {}
        self._made = 0
        self._notes: dict[str, Any] = {}
        self.resolve_hazard(self._read_program())

    def _read_program(self) -> dict[str, list[Node]]:
        """Nodes for the operators and variables of the global block: the nodes of each variable, oldest first."""
        block = self._program.global_block()
        versions: dict[str, list[Node]] = {}

        def made(name: str) -> Node:
            var = block.find_var(name)
            node = self.create_empty_node(name, Node.Variable) if var is None else self.create_var_node(VarDesc(var))
            versions.setdefault(name, []).append(node)
            return node

        for operator in block.ops:
            node = self.create_op_node(OpDesc(operator))
            for name in operator.input_arg_names:
                link(versions[name][-1] if name in versions else made(name), node)
            for name in dict.fromkeys(operator.output_arg_names):
                link(node, made(name))
        for name in [name for name in block.vars if name not in versions and name != EMPTY]:
            made(name)
        return versions

    # -- nodes --------------------------------------------------------------------------------------------------

    def nodes(self) -> set[Node]:
        return set(self._nodes.values())

    def ordered_nodes(self) -> list[Node]:
        """All nodes, in the order in which they were made."""
        return list(self._nodes.values())

    def holds(self, node: Node) -> bool:
        return self._nodes.get(node.id()) is node

    def retrieve_node(self, id: int) -> Node:
        if id not in self._nodes:
            raise NotFoundError(f"Graph: there is no node {id}")
        return self._nodes[id]

    def create_op_node(self, op_desc: OpDesc) -> Node:
        """A node of a copy of the operator."""
        copied = OpDesc(copy_operator(self._program.global_block(), op_desc.of))
        return self._made_node(op_desc.type(), Node.Operation, copied)

    def create_var_node(self, var_desc: VarDesc) -> Node:
        """A node of a copy of the variable."""
        var = copy.copy(var_desc.of)
        var.block, var.op = self._program.global_block(), None
        return self._made_node(var.name, Node.Variable, VarDesc(var))

    def create_empty_node(self, name: str, type: Node.Type) -> Node:
        return self._made_node(name, type, None)

    def create_control_dep_var(self) -> Node:
        return self.create_empty_node(f"{CONTROL}@{self._made}", Node.Variable)

    def _made_node(self, name: str, kind: Node.Type, desc: OpDesc | VarDesc | None) -> Node:
        node = Node(self._made, name, kind, desc)
        self._nodes[self._made] = node
        self._made += 1
        return node

    def remove_node(self, node: Node) -> None:
        del self._nodes[node.id()]

    def safe_remove_nodes(self, nodes: Iterable[Node]) -> None:
        """Remove the nodes, and every edge that leads to one of them."""
        gone = set(nodes)
        for node in gone:
            self.remove_node(node)
        for node in self._nodes.values():
            node.inputs = [other for other in node.inputs if other not in gone]
            node.outputs = [other for other in node.outputs if other not in gone]

    def release_nodes(self) -> list[Node]:
        released, self._nodes = self.ordered_nodes(), {}
        return released

    # -- notes that passes leave --------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        return name in self._notes

    def set(self, name: str, value: object) -> None:
        self._notes[name] = value

    set_not_owned = set

    def get(self, name: str) -> Any:
        return self._notes[name]

    get_bool = get_int = get_float = get_double = get_string = get_marked_nodes = get

    def erase(self, name: str) -> None:
        del self._notes[name]

    # -- the whole ----------------------------------------------------------------------------------------------

    def resolve_hazard(self, versions: dict[str, list[Node]]) -> None:
        """Add the control dependencies that follow from `versions`, the nodes of each variable: Note [Versions]."""
        for nodes in versions.values():
            for old, new in reversed(list(itertools.pairwise(nodes))):
                writer = new.inputs[0] if new.inputs else None
                if writer is not None:
                    for earlier in (*old.inputs[:1], *old.outputs):
                        self._run_before(earlier, writer)

    def _run_before(self, earlier: Node, later: Node) -> None:
        if earlier is later or set(earlier.outputs) & set(later.inputs):
            return
        between = self.create_control_dep_var()
        link(earlier, between)
        link(between, later)

    def clone(self) -> Graph:
        copied = copy.copy(self)
        copied._program, copied._notes, copied._nodes = self._program.clone(), dict(self._notes), {}
        for number, node in self._nodes.items():
            copied._made = number  # so that the copy has the same numbers
            op, var = node.op(), node.var()
            if op is not None:
                copied.create_op_node(op)
            elif var is not None:
                copied.create_var_node(var)
            else:
                copied.create_empty_node(node.name(), node.node_type())
            copied._nodes[number]._name = node.name()
        copied._made = self._made
        for number, node in self._nodes.items():
            copied._nodes[number].inputs = [copied._nodes[other.id()] for other in node.inputs]
            copied._nodes[number].outputs = [copied._nodes[other.id()] for other in node.outputs]
        return copied

    def origin_program_desc(self) -> ProgramDesc:
        return ProgramDesc(self._program)

    def to_program(self) -> Program:
        """A program of the operators, in an order in which they can run, and the variables of the graph."""
        from refluid.ir.graph_order import topology_sort

        program = self._program.clone()
        block = program.global_block()
        block.vars, block.ops = {}, []
        for node in self._nodes.values():
            desc = node.var()
            if desc is not None and desc.name() not in block.vars:
                var = copy.copy(desc.of)
                var.block = block
                block.vars[var.name] = var
        for node in topology_sort(self):
            op = node.op()
            if op is not None:
                block.ops.append(copy_operator(block, op.of))
        for operator in block.ops:
            operator.fill_in_defaults()
            for name in operator.output_arg_names:
                if name in block.vars and block.vars[name].op is None:
                    block.vars[name].op = operator
        relink_blocks(program)
        program.touch()
        return program


def link(source: Node, target: Node) -> None:
    source.append_output(target)
    target.append_input(source)


def graph_safe_remove_nodes(graph: Graph, nodes: Iterable[Node]) -> None:
    graph.safe_remove_nodes(nodes)
