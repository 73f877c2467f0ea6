"""DynamicRNN: a block of a program that runs once for every step of sequences of different lengths."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from refluid.core import dtypes, mode, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, ModeError
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ir.variable import Variable
from refluid.layers.compare import less_than
from refluid.layers.control_flow import rank_table as ranks
from refluid.layers.control_flow.arrays import array_read, array_write
from refluid.layers.control_flow.block import building_in
from refluid.layers.control_flow.loops import While
from refluid.layers.creation import fill_constant
from refluid.layers.math import increment
from refluid.ops.array import rank_table as ops
from refluid.ops.array.array import read_from_array, write_to_array
from refluid.ops.shape.fill_constant import fill_constant_batch_size_like

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class DynamicRNN:
    """A recurrent network over sequences of different lengths, whose step is a block of the program.

    Step t sees the sequences that are longer than t; the outputs have the order of the batch.

    Args:
        name: what the names of its variables begin with.

    Example:
        >>> sentence = fluid.data("sentence", [None, 16], lod_level=1)
        >>> rnn = fluid.layers.DynamicRNN()
        >>> with rnn.block():
        ...     word = rnn.step_input(sentence)
        ...     previous = rnn.memory(shape=[32])
        ...     hidden = fluid.layers.fc([word, previous], 32, act="tanh")
        ...     rnn.update_memory(previous, hidden)
        ...     rnn.output(hidden)
        >>> rnn().shape  # with the LoD of sentence
        (-1, 32)
    """

    def __init__(self, name: str | None = None):
        mode.current().demand_program(
            ModeError("DynamicRNN: it builds a block of a program; in the imperative mode write a loop")
        )
        self._layer = LayerName("dynamic_rnn", name)
        block = programs.default_main_program().current_block()
        self._condition = block.create_var(name=self._layer.tmp(), dtype="bool", shape=(1,))
        self._loop = While(self._condition)
        self._outer: Block | None = None  # set while the block is being built
        self._done = False
        self._step: Any = None
        self._table: Any = None
        self._steps: Any = None
        self._zero: Any = None
        self._inputs: list[Variable] = []
        self._memories: dict[str, Variable] = {}  # what a step reads -> the array it is in
        self._updates: list[tuple[Variable, Variable]] = []
        self._arrays: list[Variable] = []
        self._outputs: list[Variable] = []

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """The operators built inside are one step."""
        if self._outer is not None or self._done:
            raise ArgumentError("DynamicRNN.block: one DynamicRNN has one block")
        self._outer = programs.default_main_program().current_block()
        self._step = fill_constant([1], "int64", 0, force_cpu=True)
        self._step.stop_gradient = False
        try:
            with self._loop.block():
                yield
                if self._table is None:
                    raise ArgumentError("DynamicRNN: it has no inputs; call step_input inside the block")
                increment(self._step, 1)
                for value, array in self._updates:
                    array_write(value, self._step, array=array)
                less_than(self._step, self._steps, force_cpu=True, cond=self._condition)
        finally:
            self._outer, self._done = None, True
        self._outputs = [ranks.array_to_lod_tensor(array, self._table) for array in self._arrays]

    def step_input(self, x: Variable, level: int = 0) -> BaseVariable:
        """The current step of a sequence input.

        Args:
            x: a LoDTensor; the first one determines the number of steps, others have sequences of the same lengths.
            level: the LoD level of the steps.

        Returns:
            A variable [number of sequences that have the step, ...].
        """
        outer = self._inside("step_input")
        self._check_outer("step_input", "x", x)
        with building_in(outer):
            if self._table is None:
                self._table = ranks.lod_rank_table(x, level)
                self._steps = self._declare("dynamic_rnn_max_seq_len", dtype="int64")
                ops.max_sequence_len(self._table, outs={"Out": self._steps})
                less_than(self._step, self._steps, force_cpu=True, cond=self._condition)
            array = self._declare("dynamic_rnn_input_array", VarType.LOD_TENSOR_ARRAY, dtype=x.dtype)
            ops.lod_tensor_to_array(x, self._table, outs={"Out": array})
            array.lod_level = max(x.lod_level - level - 1, 0)
        self._inputs.append(array)
        return array_read(array, self._step)

    def static_input(self, x: Variable) -> Variable:
        """An input that is the same in every step.

        Args:
            x: a variable with a row (or sequence) for each sequence.

        Returns:
            The rows (or sequences) of x for the sequences that have the step.
        """
        outer = self._inside("static_input")
        self._check_outer("static_input", "x", x)
        self._need_input("static_input")
        with building_in(outer):
            ordered = self._declare("dynamic_rnn_static_input_reordered", dtype=x.dtype, lod_level=x.lod_level)
            ops.reorder_lod_tensor_by_rank(x, self._table, outs={"Out": ordered})
        return ranks.shrink_memory(ordered, self._step, self._table)

    def memory(
        self,
        init: Variable | None = None,
        shape: Sequence[int] | None = None,
        value: float = 0.0,
        need_reorder: bool = False,
        dtype: Dtype = "float32",
    ) -> Variable:
        """The value that update_memory stored in the previous step.

        Args:
            init: the initial value, a row for each sequence; None if `shape` is given.
            shape: the shape of a row, without the batch.
            value: the initial number, with `shape`.
            need_reorder: the rows of init are in the order of the batch, not of the lengths.
            dtype: the dtype, with `shape`.

        Returns:
            A variable [number of sequences that have the step, ...].
        """
        outer = self._inside("memory")
        self._need_input("memory")
        with building_in(outer):
            if self._zero is None:
                self._zero = self._declare("zero_idx", dtype="int64")
                self._zero = fill_constant([1], "int64", 0, force_cpu=True, out=self._zero)
            if init is None:
                init = self._filled(shape, value, dtype)
            self._check_outer("memory", "init", init)
            if need_reorder:
                ordered = self._declare("dynamic_rnn_mem_init_reordered", dtype=init.dtype)
                ops.reorder_lod_tensor_by_rank(init, self._table, outs={"Out": ordered})
                init = ordered
            array = self._declare("dynamic_rnn_mem_array", VarType.LOD_TENSOR_ARRAY, dtype=init.dtype)
            write_to_array(init, self._zero, outs={"Out": array})
        before = ranks.shrink_memory(array_read(array, self._step), self._step, self._table)
        self._memories[before.name] = array
        return before

    def _filled(self, shape: Sequence[int] | None, value: float, dtype: Dtype) -> Variable:
        if shape is None:
            raise ArgumentError("DynamicRNN.memory: init or shape must be given")
        kind = dtypes.var_type(dtype)
        initial = self._declare("mem_init", dtype=kind)
        first_input = self._declare("in0", dtype=self._inputs[0].dtype)
        read_from_array(self._inputs[0], self._zero, outs={"Out": first_input})
        return fill_constant_batch_size_like(
            first_input, shape=[-1, *shape], value=float(value), dtype=int(kind), outs={"Out": initial}
        )

    def update_memory(self, ex_mem: Variable, new_mem: Variable) -> None:
        """Store a value for the next step.

        Args:
            ex_mem: what `memory` returned.
            new_mem: the value.
        """
        self._inside("update_memory")
        self._check("update_memory", "ex_mem", ex_mem)
        self._check("update_memory", "new_mem", new_mem)
        if ex_mem.name not in self._memories:
            raise ArgumentError(
                f"DynamicRNN.update_memory: ex_mem must be one that memory() gave, got {ex_mem.describe()}"
            )
        self._updates.append((new_mem, self._memories[ex_mem.name]))

    def output(self, *outputs: Variable) -> None:
        """Make variables of the step outputs.

        Args:
            outputs: variables of the step.
        """
        outer = self._inside("output")
        for step_output in outputs:
            self._check("output", "outputs", step_output)
            with building_in(outer):
                kind = VarType.LOD_TENSOR_ARRAY
                array = self._declare(f"{self._layer}_output_array_{step_output.name}", kind, dtype=step_output.dtype)
            array_write(step_output, self._step, array=array)
            self._arrays.append(array)

    def __call__(self, *args: object, **kwargs: object) -> Structure:
        """The outputs of all steps as LoDTensors: one variable, or a list of them, which may be empty."""
        if not self._done:
            raise ArgumentError("DynamicRNN: the outputs are available after `with rnn.block():` has ended")
        return self._outputs[0] if len(self._outputs) == 1 else self._outputs

    def _declare(self, prefix: str, kind: VarType = VarType.LOD_TENSOR, **options: object) -> Variable:
        block = programs.default_main_program().current_block()
        return block.create_var(name=unique_name.generate(prefix), type=kind, **options)

    def _inside(self, method: str) -> Block:
        if self._outer is None:
            raise ArgumentError(f"DynamicRNN.{method}: call it inside `with rnn.block():`")
        return self._outer

    def _need_input(self, method: str) -> None:
        if self._table is None:
            raise ArgumentError(f"DynamicRNN.{method}: call it after step_input, which sets the sequence lengths")

    def _check(self, method: str, argument: str, value: object) -> Variable:
        if not isinstance(value, Variable):
            raise ArgumentError(f"DynamicRNN.{method}: {argument} must be a Variable, got {type(value).__name__}")
        return value

    def _check_outer(self, method: str, argument: str, value: object) -> None:
        var = self._check(method, argument, value)
        if self._inside(method).find_var(var.name) is None:
            raise ArgumentError(
                f"DynamicRNN.{method}: {argument} must be created before `with rnn.block():`, but the block creates "
                f"{var.describe()}"
            )
