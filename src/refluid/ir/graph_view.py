"""IrGraph and its nodes: a graph as Fluid's Python code rewrites it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError
from refluid.ir import graph_order
from refluid.ir.desc import BlockDesc, OpDesc, VarDesc
from refluid.ir.graph import Graph, Node, link
from refluid.ir.graph_dot import write_dot
from refluid.ir.program import Program

if TYPE_CHECKING:
    from refluid.core.types import Dtype


class IrNode:
    """A node of a graph."""

    def __init__(self, node: Node):
        if not isinstance(node, Node):
            raise ArgumentError(f"{type(self).__name__}: node must be a core.Node, got {type(node).__name__}")
        self.node = node

    def name(self) -> str:
        return self.node.name()

    def node_type(self) -> Node.Type:
        return self.node.node_type()

    def id(self) -> int:
        return self.node.id()

    def op(self) -> Any:
        return self.node.op()

    def var(self) -> Any:
        return self.node.var()

    def is_op(self) -> bool:
        return self.node.is_op()

    def is_var(self) -> bool:
        return self.node.is_var()

    def is_ctrl_var(self) -> bool:
        return self.node.is_ctrl_var()

    def clear_inputs(self) -> None:
        self.node.clear_inputs()

    def clear_outputs(self) -> None:
        self.node.clear_outputs()

    def remove_input(self, node: IrNode) -> None:
        self.node.remove_input(node.node)

    def remove_output(self, node: IrNode) -> None:
        self.node.remove_output(node.node)

    def remove_input_by_id(self, node_id: int) -> None:
        self.node.remove_input(node_id)

    def remove_output_by_id(self, node_id: int) -> None:
        self.node.remove_output(node_id)

    def append_input(self, node: IrNode) -> None:
        self.node.append_input(node.node)

    def append_output(self, node: IrNode) -> None:
        self.node.append_output(node.node)

    @property
    def inputs(self) -> list[Any]:
        return [IrNode(node) for node in self.node.inputs]

    @property
    def outputs(self) -> list[Any]:
        return [IrNode(node) for node in self.node.outputs]

    def _desc(self) -> Any:
        found = self.node.op() if self.is_op() else self.node.var()
        if found is None:
            raise ArgumentError(f"{type(self).__name__}: node {self.name()} is a dependency and describes nothing")
        return found

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id()}: {self.name()}>"


class IrVarNode(IrNode):
    """The node of a variable, or a control dependency."""

    def __init__(self, node: Node):
        super().__init__(node)
        if not node.is_var():
            raise ArgumentError(f"IrVarNode: {node.name()} is the node of an operator")

    def shape(self) -> list[int]:
        return self._desc().shape()

    def set_shape(self, shape: Sequence[int]) -> None:
        self._desc().set_shape(shape)

    def dtype(self) -> VarType:
        return self._desc().dtype()

    def type(self) -> VarType:
        return self._desc().type()

    def persistable(self) -> bool:
        return self._desc().persistable()

    @property
    def inputs(self) -> list[Any]:
        return [IrOpNode(node) for node in self.node.inputs]

    @property
    def outputs(self) -> list[Any]:
        return [IrOpNode(node) for node in self.node.outputs]


class IrOpNode(IrNode):
    """The node of an operator."""

    def __init__(self, node: Node):
        super().__init__(node)
        if not node.is_op():
            raise ArgumentError(f"IrOpNode: {node.name()} is the node of a variable")

    def input(self, name: str) -> list[str]:
        return self._desc().input(name)

    def output(self, name: str) -> list[str]:
        return self._desc().output(name)

    def input_arg_names(self) -> list[str]:
        return self._desc().input_arg_names()

    def output_arg_names(self) -> list[str]:
        return self._desc().output_arg_names()

    def rename_input(self, old_input_name: str, new_input_name: str) -> None:
        self._desc()._rename_input(old_input_name, new_input_name)

    def rename_output(self, old_output_name: str, new_output_name: str) -> None:
        self._desc()._rename_output(old_output_name, new_output_name)

    def set_type(self, new_type: str) -> None:
        self._desc().set_type(new_type)

    def set_attr(self, name: str, val: object) -> None:
        self._desc()._set_attr(name, _attribute(val))

    @property
    def inputs(self) -> list[Any]:
        return [IrVarNode(node) for node in self.node.inputs]

    @property
    def outputs(self) -> list[Any]:
        return [IrVarNode(node) for node in self.node.outputs]


class IrGraph:
    """A graph to be rewritten, and made into a program again.

    Args:
        graph: `core.Graph(program.desc)`.
        for_test: whether the program is for testing; passes ask `is_test()`.
    """

    def __init__(self, graph: Graph, for_test: bool = False):
        if not isinstance(graph, Graph):
            raise ArgumentError(f"IrGraph: graph must be a core.Graph, got {type(graph).__name__}")
        self.graph = graph
        self._for_test = for_test

    def clone(self) -> IrGraph:
        return IrGraph(self.graph.clone(), self._for_test)

    def is_test(self) -> bool:
        return self._for_test

    def all_nodes(self) -> set[IrNode]:
        return {IrNode(node) for node in self.graph.nodes()}

    def all_var_nodes(self) -> set[IrVarNode]:
        return {IrVarNode(node) for node in self.graph.nodes() if node.is_var()}

    def all_op_nodes(self) -> set[IrOpNode]:
        return {IrOpNode(node) for node in self.graph.nodes() if node.is_op()}

    def all_persistable_nodes(self) -> set[IrVarNode]:
        return {node for node in self.all_var_nodes() if node.var() is not None and node.persistable()}

    # -- new nodes ----------------------------------------------------------------------------------------------

    def create_var_node(self, name: str, var_type: VarType, shape: Sequence[int], var_dtype: Dtype) -> IrVarNode:
        desc = VarDesc(name)
        desc.set_type(var_type)
        desc.set_shape(shape)
        desc.set_dtype(var_dtype)
        return self.create_var_node_from_desc(desc)

    def create_persistable_node(
        self, name: str, var_type: VarType, shape: Sequence[int], var_dtype: Dtype
    ) -> IrVarNode:
        node = self.create_var_node(name, var_type, shape, var_dtype)
        node.var().set_persistable(True)
        return node

    def create_var_node_from_desc(self, var_desc: VarDesc) -> IrVarNode:
        return IrVarNode(self.graph.create_var_node(var_desc))

    def create_control_dep_var(self) -> IrVarNode:
        return IrVarNode(self.graph.create_control_dep_var())

    def create_op_node(self, op_type: str, attrs: dict, inputs: dict, outputs: dict) -> IrOpNode:
        """A node of an operator whose slots hold the names of these nodes; edges are the caller's (`link_to`)."""
        desc = OpDesc()
        desc.set_type(op_type)
        for name, value in attrs.items():
            desc._set_attr(name, _attribute(value))
        for slots, fill in ((inputs, desc.set_input), (outputs, desc.set_output)):
            for slot, nodes in slots.items():
                fill(slot, [node.name() for node in (nodes if isinstance(nodes, list) else [nodes])])
        return self.create_op_node_from_desc(desc)

    def create_op_node_from_desc(self, op_desc: OpDesc) -> IrOpNode:
        return IrOpNode(self.graph.create_op_node(op_desc))

    # -- edges --------------------------------------------------------------------------------------------------

    def link_to(self, node_in: IrNode, node_out: IrNode) -> None:
        self._check("link_to", node_in, node_out)
        link(node_in.node, node_out.node)

    def update_input_link(self, old_input_node: IrNode, new_input_node: IrNode, op_node: IrOpNode) -> None:
        """Let an operator read another variable."""
        self._check("update_input_link", old_input_node, new_input_node, op_node)
        old_input_node.remove_output(op_node)
        op_node.remove_input(old_input_node)
        link(new_input_node.node, op_node.node)
        op_node.rename_input(old_input_node.name(), new_input_node.name())

    def update_output_link(self, old_output_node: IrNode, new_output_node: IrNode, op_node: IrOpNode) -> None:
        """Let an operator write another variable."""
        self._check("update_output_link", old_output_node, new_output_node, op_node)
        old_output_node.remove_input(op_node)
        op_node.remove_output(old_output_node)
        link(op_node.node, new_output_node.node)
        op_node.rename_output(old_output_node.name(), new_output_node.name())

    def safe_remove_nodes(self, remove_nodes: object) -> None:
        """Remove a node or several, with the edges that lead to them."""
        self.graph.safe_remove_nodes({node.node for node in _several(remove_nodes)})

    def resolve_hazard(self) -> None:
        """Add the dependencies between operators that write and read a variable more than once."""
        versions: dict[str, list[Node]] = {}
        for node in graph_order.topology_sort(self.graph):
            desc = node.op()
            if desc is None:
                continue
            for name in desc.input_arg_names():
                versions.setdefault(name, [self._find_node_by_name(node.inputs, name)])
            for name in desc.output_arg_names():
                versions.setdefault(name, []).append(self._find_node_by_name(node.outputs, name))
        self.graph.resolve_hazard(versions)

    # -- the whole ----------------------------------------------------------------------------------------------

    def has_circle(self) -> bool:
        return graph_order.has_circle(self.graph)

    def graph_num(self) -> int:
        return graph_order.graph_num(self.graph)

    def topology_sort(self) -> list[IrNode]:
        return [IrNode(node) for node in graph_order.topology_sort(self.graph)]

    def build_adjacency_list(self) -> dict[IrNode, set[IrNode]]:
        found = graph_order.build_adjacency_list(self.graph)
        return {IrNode(node): {IrNode(other) for other in others} for node, others in found.items()}

    def draw(self, save_path: str, name: str, marked_nodes: object = None, remove_ctr_var: bool = True) -> None:
        """Write `<save_path>/<name>.dot`, and a PDF of it beside it where the program `dot` is installed."""
        if remove_ctr_var:
            self.safe_remove_nodes([node for node in self.all_var_nodes() if node.is_ctrl_var()])
        marked = {node.node for node in _several(marked_nodes or ()) if self.graph.holds(node.node)}
        print(f"Total ops num = {len(self.all_op_nodes())}.")
        write_dot(self.graph, Path(save_path) / f"{name}.dot", marked, pdf=True)

    def to_program(self) -> Program:
        return self.graph.to_program()

    def _find_node_by_name(self, nodes: Iterable[Any], node_name: str) -> Any:
        found = [node for node in nodes if node.name() == node_name]
        if not found:
            raise ArgumentError(f"IrGraph: none of the nodes is called {node_name!r}")
        return found[-1]

    def _check(self, method: str, *nodes: IrNode) -> None:
        for node in nodes:
            if not self.graph.holds(node.node):
                raise ArgumentError(f"IrGraph.{method}: {node.name()} is not a node of this graph")


def _several(nodes: Any) -> Iterable[IrNode]:
    return nodes if isinstance(nodes, Iterable) else [nodes]


def _attribute(value: object) -> Any:
    """A block, wherever it comes as its desc; anything else as it is."""
    if isinstance(value, list):
        return [_attribute(one) for one in value]
    return value.of if isinstance(value, BlockDesc) else value
