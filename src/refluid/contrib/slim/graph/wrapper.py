"""GraphWrapper: a program with names for its inputs and outputs; VarWrapper and OpWrapper: its parts."""

from __future__ import annotations

import copy
import os
from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.contrib.slim.graph.cost import count_operations
from refluid.core.errors import ArgumentError
from refluid.executor.compiled import BuildStrategy, CompiledProgram
from refluid.executor.executor import Executor
from refluid.ir.clone import copy_operator
from refluid.ir.operator import Operator
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Parameter, Variable
from refluid.saving.files import inside
from refluid.saving.inference import save_inference_model
from refluid.saving.variables import load_vars, save_vars

if TYPE_CHECKING:
    from refluid.core.places import Place
    from refluid.optim.optimizer import Optimizer
    from refluid.tensor.scope import Scope

# Operators whose accumulators have the shape of the parameter that they update.
OPTIMIZER_OPS = [
    "momentum", "lars_momentum", "adagrad", "adam", "adamax", "dpsgd", "decayed_adagrad", "adadelta", "rmsprop"
]  # fmt: skip
_OF_READERS = ("reader", "double_buffer")


class VarWrapper:
    """A variable of a graph."""

    def __init__(self, var: Variable, graph: GraphWrapper):
        self._var, self._graph = var, graph

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VarWrapper) and self._var.name == other._var.name

    def __hash__(self) -> int:
        return hash(self._var.name)

    def name(self) -> str:
        return self._var.name

    def shape(self) -> tuple[int, ...]:
        return self._var.shape

    def set_shape(self, shape: Sequence[int]) -> None:
        self._var.desc.set_shape(shape)  # type: ignore[attr-defined]

    def inputs(self) -> list[OpWrapper]:
        """The operators that read it."""
        return [op for op in self._graph.ops() if self.name() in op._op.input_arg_names]

    def outputs(self) -> list[OpWrapper]:
        """The operators that write it."""
        return [op for op in self._graph.ops() if self.name() in op._op.output_arg_names]


class OpWrapper:
    """An operator of a graph."""

    def __init__(self, op: Operator, graph: GraphWrapper):
        self._op, self._graph = op, graph

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpWrapper) and self._op is other._op

    def __hash__(self) -> int:
        return id(self._op)

    def idx(self) -> int:
        return self._op.idx

    def type(self) -> str:
        return self._op.type

    def is_bwd_op(self) -> bool:
        return self.type().endswith("_grad")

    def is_opt_op(self) -> bool:
        return self.type() in OPTIMIZER_OPS

    def inputs(self, name: str) -> list[VarWrapper]:
        return [self._graph.var(var) for var in self._op.input(name)]

    def outputs(self, name: str) -> list[VarWrapper]:
        return [self._graph.var(var) for var in self._op.output(name)]

    def all_inputs(self) -> list[VarWrapper]:
        return [self._graph.var(name) for name in self._op.input_arg_names]

    def all_outputs(self) -> list[VarWrapper]:
        return [self._graph.var(name) for name in self._op.output_arg_names]

    def attr(self, name: str) -> Any:
        return self._op.attr(name)

    def set_attr(self, key: str, value: object) -> None:
        self._op._set_attr(key, value)


class GraphWrapper:
    """A program with names for what goes in and what comes out.

    Args:
        program: an empty one by default.
        in_nodes, out_nodes: [(a name of your choice, the variable's name)]; training needs an output called "loss".
    """

    def __init__(self, program: Program | None = None, in_nodes: Any = [], out_nodes: Any = []):
        self.program = Program() if program is None else program
        self.in_nodes: OrderedDict[str, str] = OrderedDict(in_nodes or [])
        self.out_nodes: OrderedDict[str, str] = OrderedDict(out_nodes or [])
        self.persistables = {var.name: var for var in self.program.list_vars() if var.persistable}
        self.teacher_persistables: dict[str, Variable] = {}
        self.compiled_graph: CompiledProgram | None = None

    # -- parts --------------------------------------------------------------------------------------------------

    def ops(self) -> list[OpWrapper]:
        return [OpWrapper(op, self) for op in self.program.operators()]

    def vars(self) -> list[VarWrapper]:
        return [VarWrapper(var, self) for var in self.program.list_vars()]

    def var(self, name: str) -> VarWrapper:
        return VarWrapper(self.program.global_block().var(name), self)

    def all_parameters(self) -> list[VarWrapper]:
        return [VarWrapper(param, self) for param in self.program.all_parameters()]

    def is_parameter(self, var: VarWrapper) -> bool:
        return isinstance(var._var, Parameter)

    def is_persistable(self, var: VarWrapper) -> bool:
        return var._var.persistable

    def pre_ops(self, op: OpWrapper) -> list[OpWrapper]:
        """The operators that write what this one reads."""
        read = set(op._op.input_arg_names)
        return [other for other in self.ops() if read & set(other._op.output_arg_names)]

    def next_ops(self, op: OpWrapper) -> list[OpWrapper]:
        """The operators that read what this one writes."""
        written = set(op._op.output_arg_names)
        return [other for other in self.ops() if written & set(other._op.input_arg_names)]

    def get_param_by_op(self, op: OpWrapper) -> list[VarWrapper]:
        found = [var for var in op.all_inputs() if self.is_parameter(var)]
        if not found:
            raise ArgumentError(f"GraphWrapper: {op.type()} {op._op.output_arg_names} has no parameters")
        return found

    # -- the whole ----------------------------------------------------------------------------------------------

    def clone(self, for_test: bool = False) -> GraphWrapper:
        return GraphWrapper(self.program.clone(for_test), copy.copy(self.in_nodes), copy.copy(self.out_nodes))

    def merge(self, graph: GraphWrapper) -> None:
        """Add the variables and operators of another graph, a teacher's; a variable of the same name is shared."""
        block = self.program.global_block()
        for var in graph.program.list_vars():
            if var.persistable:
                self.teacher_persistables[var.name] = var
            block._clone_variable(var, force_persistable=False).stop_gradient = var.stop_gradient
        for op in graph.ops():
            block.record(copy_operator(block, op._op))

    def compile(self, for_parallel: bool = True, for_test: bool = False, mem_opt: bool = False) -> None:
        """Make the compiled program that SlimGraphExecutor runs from now on."""
        self.compiled_graph = CompiledProgram(self.program)
        if for_parallel:
            strategy = BuildStrategy()
            strategy.enable_inplace = strategy.memory_optimize = mem_opt
            loss = None if for_test else self.out_nodes["loss"]
            self.compiled_graph = self.compiled_graph.with_data_parallel(loss_name=loss, build_strategy=strategy)

    def get_optimize_graph(
        self, optimizer: Optimizer, place: Place, scope: Scope, no_grad_var_names: Sequence[str] = []
    ) -> GraphWrapper | None:
        """A copy that trains the output "loss" (or "cost"); None if there is no such output."""
        graph = self.clone()
        target = graph.out_nodes.get("loss") or graph.out_nodes.get("cost")
        if target is None:
            return None
        train(graph, graph.var(target)._var, optimizer, place, scope, set(no_grad_var_names) or None)
        return graph

    def numel_params(self) -> int:
        return sum(int(np.prod(param.shape())) for param in self.all_parameters())

    def flops(self, only_conv: bool = False) -> float:
        """How many operations one sample takes in convolutions, and else in products, poolings and activations."""
        return sum(count_operations(op._op, only_conv) for op in self.ops())

    def update_param_shape(self, scope: Any) -> None:
        """Give parameters the shapes that their values in the scope have."""
        for param in self.all_parameters():
            param.set_shape(np.array(scope.find_var(param.name()).get_tensor()).shape)

    def update_groups_of_conv(self) -> None:
        """Give depthwise convolutions as many groups as they have filters."""
        for op in self.ops():
            if op.type() in ("depthwise_conv2d", "depthwise_conv2d_grad"):
                op.set_attr("groups", op.inputs("Filter")[0].shape()[0])

    def infer_shape(self) -> None:
        """Infer the shapes of all variables again."""
        for op in self.ops():
            if op._op.sub_block is None:
                op._op.desc.infer_shape(op._op.block.desc)  # type: ignore[attr-defined]

    # -- files --------------------------------------------------------------------------------------------------

    def save_model(self, path: str, exe: Executor) -> None:
        """Save what computes the outputs from the inputs, for `load_inference_model`."""
        self._save(path, exe, list(self.in_nodes.values()), list(self.out_nodes.values()), "__model__", False)

    def save_infer_model(
        self, path: str, exe: Executor, in_out: tuple[Sequence[str], Sequence[str]], program_only: bool = False
    ) -> None:
        """Save what computes variables of your choice: in_out is (names of inputs, names of outputs)."""
        self._save(path, exe, list(in_out[0]), list(in_out[1]), "__model__.infer", program_only)

    def _save(self, path: str, exe: Any, ins: list[str], outs: list[str], name: str, program_only: bool) -> None:
        if not ins or not outs:
            raise ArgumentError(
                "GraphWrapper: a model to be saved needs inputs and outputs; give in_nodes and out_nodes"
            )
        targets = [self.var(out)._var for out in outs]
        save_inference_model(
            path, ins, targets, exe.exe, self.program.clone(), name, "__params__", program_only=program_only
        )

    def save_persistables(self, path: str, exe: Any) -> None:
        """Save the persistable variables, but not the teachers'."""
        own = [var for var in self._saved_variables() if var.name not in self.teacher_persistables]
        save_vars(exe.exe, path, main_program=self.program, vars=own)

    def load_persistables(self, path: str, exe: Any) -> None:
        """Load those that have a file."""
        there = [var for var in self._saved_variables() if os.path.exists(inside(path, var.name))]
        load_vars(exe.exe, path, main_program=self.program, vars=there)

    def _saved_variables(self) -> list[Variable]:
        # The accumulators of an optimizer were added to the program after the graph was made.
        self.persistables.update({var.name: var for var in self.program.list_vars() if var.persistable})
        return [var for name, var in self.persistables.items() if not any(word in name for word in _OF_READERS)]


def train(
    graph: GraphWrapper,
    loss: Variable,
    optimizer: Optimizer,
    place: Place,
    scope: Scope,
    no_grad_set: Collection[str] | None = None,
) -> None:
    """Append the updates of an optimizer to a graph, and initialize their accumulators."""
    startup = Program()
    with program_guard(graph.program, startup):
        if isinstance(optimizer._learning_rate, Variable):  # a schedule, which the program has itself
            optimizer._learning_rate_map[graph.program] = optimizer._learning_rate
        optimizer.minimize(loss, no_grad_set=no_grad_set)
    Executor(place).run(startup, scope=scope)
