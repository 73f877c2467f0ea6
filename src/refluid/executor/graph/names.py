"""What the names of a block mean at the point of it that is being built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.core.dtypes import VarType
from refluid.executor.graph.node import Node
from refluid.executor.graph.region import Body, Graph, Region
from refluid.executor.graph.value import Value
from refluid.ops.array.array import add_to_array, read_from_array, take_from_array, write_to_array
from refluid.ops.math.sum import sum as sum_op
from refluid.ops.registry import OpDef, define
from refluid.ops.signature import GRAD_SUFFIX, owner_of
from refluid.tensor.tensor_array import LoDTensorArray

if TYPE_CHECKING:
    from refluid.ir.block import Block
    from refluid.ir.operator import Operator
    from refluid.ir.variable import Variable


def _new_array() -> LoDTensorArray:
    return LoDTensorArray()


# Not registered: it exists in plans only.
NewArray = define(_new_array, "Out", type="LoDTensorArray", lod=None, nograd="*")


class Names:
    """The values that names of one block have so far; what it does not know, the block around it knows."""

    def __init__(self, region: Region, block: Block, graph: Graph, around: Names | None = None):
        self.region, self.block, self.graph, self.around = region, block, graph, around
        self.local = frozenset(block.vars) if around is not None else frozenset()
        self.values: dict[str, Value] = {}
        self.written_arrays = _written_arrays(block)
        self.operators: list[Node] = []
        # Of a body: all values of a variable around it, each with the position of the operator that has written it.
        self.history: dict[str, list[tuple[int, Value | None]]] = {}
        self.before_rewinding: dict[str, Value] = {}  # what a fetch means where gradients mean an older value

    # -- reading and writing --------------------------------------------------------------------------------------

    def read(self, name: str, after: bool = False) -> Value:
        """The value of a variable now; `after`: a gradient means what its operator has written."""
        value = self.values.get(name)
        if value is not None:
            return value
        if self.around is None or name in self.local:
            return self._first(name)
        return self.around.read(name, after)

    def known(self, name: str) -> Value | None:
        """The value of a variable, if it has one by now or when a run begins."""
        value = self.values.get(name)
        if value is None and self.around is not None and name not in self.local:
            return self.around.known(name)
        var = self.block.find_var(name) if value is None else None
        if var is not None and (var.persistable or var.type == VarType.LOD_TENSOR_ARRAY):
            value = self._first(name)
        return None if value is self.graph.missing.get(name) else value

    def peek(self, name: str) -> Value | None:
        """The value of a variable, if something has computed it."""
        value = self.values.get(name)
        if value is None and self.around is not None and name not in self.local:
            return self.around.peek(name)
        return value

    def write(self, name: str, value: Value) -> None:
        self.values[name] = value
        if name in self.history:
            self.history[name].append((len(self.operators), value))

    def declared(self, name: str) -> Variable | None:
        return self.block.find_var(name)

    def _first(self, name: str) -> Value:
        """The value of a variable that nothing has written so far."""
        var = self.block.find_var(name)
        if var is not None and var.type == VarType.LOD_TENSOR_ARRAY and name in self.written_arrays:
            value = Value(name, var)
            operator = self.block.ops[0]
            self.region.append(Node(NewArray, operator, [], [[value]], {}))
            self.values[name] = value
            return value
        known = self.graph.states if var is not None and var.persistable else self.graph.missing
        if name not in known:
            known[name] = Value(name, var)
            known[name].region = self.graph
        return known[name]

    # -- values of the forward pass, as a gradient reads them -----------------------------------------------------

    def of(self, value: Value) -> Value:
        """What stands for a value of the forward pass here."""
        return value


class GradientNames(Names):
    """Names in the body of a gradient: it reads what the body of its operator, `forward`, has made.

    Note [Which value a gradient means]
        A variable around a body that the body writes has several values. A gradient that reads an output of its
        operator means what that has written; one that reads an input, what the operator has seen. Which operator it is
        tells its position in the forward body.
    """

    around: Names

    def __init__(self, region: Body, block: Block, graph: Graph, around: Names, forward: Names | None):
        super().__init__(region, block, graph, around)
        self.forward = forward
        self.body = region
        self.operator: Operator | None = None  # that is being built
        self.definition: OpDef | None = None

    def read(self, name: str, after: bool = False) -> Value:
        if name not in self.values and self.forward is not None:
            value = self._of_forward(name, after)
            if value is not None:
                return value
        return super().read(name, after)

    def known(self, name: str) -> Value | None:
        value = None
        if name not in self.values and self.forward is not None:
            value = self._of_forward(name, False)
        return super().known(name) if value is None else value

    def peek(self, name: str) -> Value | None:
        value = self.values.get(name)
        if value is None and self.forward is not None and name in self.forward.values:
            value = self.forward.values[name]
            return self.body.saved_params.get(value, value)
        return value if value is not None else super().peek(name)

    def _of_forward(self, name: str, after: bool) -> Value | None:
        forward = self.forward
        assert forward is not None
        if name not in forward.history:
            value = forward.values.get(name)
            return None if value is None else self.of(value)
        if self._is_branch() and self.block.is_array(name):
            return None  # it is changed in place
        value = self._version(forward.history[name], after)
        return None if value is None else self.of(value)

    def _version(self, history: list[tuple[int, Value | None]], after: bool) -> Value | None:
        assert self.forward is not None and self.operator is not None and self.definition is not None
        position = _position(self.forward.operators, self.definition, self.operator)
        if position < 0:
            return history[-1 if after else 0][1]
        return [value for at, value in history if at < position or (after and at == position)][-1]

    def _is_branch(self) -> bool:
        node = self.body.forward
        return node is not None and not (node.body and node.body.is_loop)

    def of(self, value: Value) -> Value:
        node = self.body.forward
        if node is None or node.body is None or value.region is not node.body:
            return self.around.of(value)
        if node.body.is_loop:
            if value not in self.body.saved_params:
                param = self.body.saved_params[value] = Value(value.name, value.variable)
                param.region = self.body
            return self.body.saved_params[value]
        outside = node.body.saved_outside.get(value)
        if outside is None:
            outside = node.body.saved_outside[value] = Value(value.name, value.variable)
            outside.maker, outside.region = node, node.region
            node.outputs[0].append(outside)
        return self.around.of(outside)


def _position(operators: list[Node], definition: OpDef, operator: Operator) -> int:
    """Where in a body the operator stands whose gradient this is; -1 if it cannot be told."""
    for position in reversed(range(len(operators))):
        node = operators[position]
        if definition is take_from_array:
            if node.op is write_to_array and operator.input("X_W") == node.operator.input("X"):
                return position
        elif definition is add_to_array:
            owners = set(map(owner_of, operator.input("X")))
            if node.op is read_from_array and owners & set(node.operator.output("Out")):
                return position
        elif definition.forward is node.op:
            grad_names = [
                name for slot, names in operator.inputs.items() if slot.endswith(GRAD_SUFFIX) for name in names
            ]
            if set(map(owner_of, grad_names)) & set(node.operator.output_arg_names):
                return position
    return -1


def _written_arrays(block: Block) -> set[str]:
    """Arrays of the block that an operator, at any depth, writes an element of, adds another to or gives a gradient."""
    arrays: set[str] = set()
    declared = {name for name, var in block.vars.items() if var.type == VarType.LOD_TENSOR_ARRAY}
    if not declared:
        return arrays

    def visit(inner: Block) -> None:
        for op in inner.ops:
            definition = op.definition
            sub_block = op.sub_block
            if sub_block is not None:
                visit(sub_block)
            grows = definition is write_to_array or (sub_block is not None and definition and definition.forward)
            if grows or definition is sum_op:
                arrays.update(name for name in op.output_arg_names if grows or name in op.input_arg_names)

    visit(block)
    return arrays & declared
