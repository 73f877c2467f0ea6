"""StaticRNN: a block of a program that runs once for every element of a first axis."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from refluid.core import mode, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, ModeError, ShapeError
from refluid.core.naming import LayerName
from refluid.executor.blocks.recurrent import recurrent
from refluid.ir import program as programs
from refluid.ir.block import Block
from refluid.ir.operator import EMPTY
from refluid.ir.prune import needed_ops
from refluid.ir.variable import Variable
from refluid.ops.array.rnn_memory_helper import rnn_memory_helper

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class Memory(NamedTuple):
    initial: Variable
    before: Variable  # what a step reads


class StaticRNN:
    """A recurrent network over sequences of one length; its step is a block of the program.

    The steps are the first axis of inputs and outputs.

    Args:
        name: what the names of its variables begin with.

    Example:
        >>> x = fluid.data("x", [20, None, 16])
        >>> rnn = fluid.layers.StaticRNN()
        >>> with rnn.step():
        ...     word = rnn.step_input(x)
        ...     previous = rnn.memory(shape=[-1, 32], batch_ref=word)
        ...     hidden = fluid.layers.fc([word, previous], 32, act="tanh")
        ...     rnn.update_memory(previous, hidden)
        ...     rnn.step_output(hidden)
        >>> rnn().shape
        (20, -1, 32)
    """

    def __init__(self, name: str | None = None):
        mode.current().demand_program(
            ModeError("StaticRNN: it builds a block of a program; in the imperative mode write a loop")
        )
        self._layer = LayerName("static_rnn", name)
        str(self._layer)  # numbered now, before what is built inside
        self._inner: Block | None = None
        self._done = False
        self._length: int | None = None
        self._inputs: dict[str, Variable] = {}  # outer name -> what a step reads
        self._memories: dict[str, Memory] = {}
        self._updates: dict[str, Variable] = {}
        self._outputs: list[Variable] = []

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        """The operators built inside are one step."""
        if self._inner is not None or self._done:
            raise ArgumentError("StaticRNN.step: one StaticRNN has one step block")
        program = programs.default_main_program()
        self._inner = program._create_block()
        try:
            yield
            self._name_states()
        finally:
            program._rollback()
        inner, self._inner, self._done = self._inner, None, True
        self._finish(inner)

    def step_input(self, x: Variable) -> Variable:
        """The current step of an input.

        Args:
            x: a variable [steps, ...]; all inputs have as many steps.

        Returns:
            A variable [...].
        """
        inner = self._block("step_input")
        self._check_outer("step_input", "x", x)
        if not x.shape:
            raise ShapeError(f"StaticRNN.step_input: x must have an axis for the steps, got {x.describe()}")
        if self._length is None:
            self._length = x.shape[0]
        elif -1 not in (x.shape[0], self._length) and x.shape[0] != self._length:
            raise ShapeError(f"StaticRNN.step_input: x has {x.shape[0]} steps, but earlier inputs have {self._length}")
        if x.name not in self._inputs:
            self._inputs[x.name] = inner.create_var(
                name=x.name, dtype=x.dtype, shape=x.shape[1:], stop_gradient=x.stop_gradient
            )
        return self._inputs[x.name]

    def memory(
        self,
        init: Variable | None = None,
        shape: Sequence[int] | None = None,
        batch_ref: Variable | None = None,
        init_value: float = 0.0,
        init_batch_dim_idx: int = 0,
        ref_batch_dim_idx: int = 1,
    ) -> Variable:
        """The value that update_memory stored in the previous step.

        Args:
            init: the initial value; None if `shape` and `batch_ref` are given.
            shape: the shape of the memory; the number at init_batch_dim_idx is ignored.
            batch_ref: a variable with the size of the batch.
            init_value: the initial number, with `shape`.
            init_batch_dim_idx: the axis of the batch in the memory.
            ref_batch_dim_idx: the axis of the batch in batch_ref, counted with the axis of the steps.

        Returns:
            A variable of the shape of the memory.
        """
        inner = self._block("memory")
        if init is None:
            if shape is None or batch_ref is None:
                raise ArgumentError("StaticRNN.memory: without init, shape and batch_ref are needed")
            self._check_outer("memory", "batch_ref", batch_ref)
            init = self._first(list(shape), batch_ref, init_value, init_batch_dim_idx, ref_batch_dim_idx)
        _check("memory", "init", init)
        self._bring_out(init)
        self._check_outer("memory", "init", init)
        name = unique_name.generate(f"{self._layer}@mem")
        before = inner.create_var(name=name, dtype=init.dtype, shape=init.shape)
        self._memories[name] = Memory(init, before)
        return before

    def _first(self, shape: list[int], like: Variable, value: float, axis: int, like_axis: int) -> Variable:
        outer = self._outer()
        first = outer.create_var(
            name=unique_name.generate(f"{self._layer}@memory_boot"), dtype=like.dtype, shape=shape, stop_gradient=False
        )
        attrs = {"value": float(value), "shape": shape, "dtype": int(like.dtype), "input_dim_idx": like_axis,
                 "output_dim_idx": axis}  # fmt: skip
        outer.append_op("fill_constant_batch_size_like", {"Input": like.name}, {"Out": first}, attrs)
        return first

    def update_memory(self, mem: Variable, var: Variable) -> None:
        """Store a value for the next step.

        Args:
            mem: what `memory` returned.
            var: the value.
        """
        self._block("update_memory")
        _check("update_memory", "mem", mem)
        _check("update_memory", "var", var)
        if mem.name not in self._memories:
            raise ArgumentError(f"StaticRNN.update_memory: mem must be one that memory() gave, got {mem.describe()}")
        self._updates[mem.name] = var

    def step_output(self, o: Variable) -> None:
        """Make a variable of the step an output; the steps are joined along a new first axis.

        Args:
            o: a variable of the step.
        """
        self._block("step_output")
        _check("step_output", "o", o)
        step_result = rnn_memory_helper(o, dtype=int(o.dtype), name=self._layer)
        length = -1 if self._length is None else self._length
        self._outputs.append(
            self._outer().create_var(name=step_result.name, dtype=step_result.dtype, shape=(length, *step_result.shape))
        )  # fmt: skip

    def output(self, *outputs: Variable) -> None:
        """Make variables of the step outputs; `step_output` of each.

        Args:
            outputs: variables of the step.
        """
        for step_result in outputs:
            self.step_output(step_result)

    def __call__(self, *args: object, **kwargs: object) -> Structure:
        """The outputs of all steps: one variable, or a list of them."""
        if not self._done:
            raise ArgumentError("StaticRNN: the outputs are available after `with rnn.step():` has ended")
        if not self._outputs:
            raise ArgumentError("StaticRNN: it has no outputs; call step_output inside the step")
        return self._outputs[0] if len(self._outputs) == 1 else self._outputs

    # -- the operator ---------------------------------------------------------------------------------------------

    def _name_states(self) -> None:
        """Copy the new states to variables of their own, which the next step reads."""
        for name, memory in self._memories.items():
            if name not in self._updates:
                raise ArgumentError(f"StaticRNN: {name} (begins as {memory.initial.name}) needs an update_memory")
            var = self._updates[name]
            self._updates[name] = rnn_memory_helper(var, dtype=int(var.dtype), name=self._layer)

    def _finish(self, inner: Block) -> None:
        outer = programs.default_main_program().current_block()
        if not self._inputs:
            raise ArgumentError("StaticRNN: it has no inputs; call step_input inside the step")
        outer.append_op(
            recurrent.type,
            inputs={
                "inputs": list(self._inputs),
                "initial_states": [memory.initial for memory in self._memories.values()],
                "parameters": self._read_from_outside(inner, outer),
            },
            outputs={"outputs": self._outputs, "step_scopes": outer.create_var(type=VarType.STEP_SCOPES)},
            attrs={
                "has_states": bool(self._memories), "ex_states": list(self._memories),
                "states": [self._updates[name].name for name in self._memories], "sub_block": inner,
            },
        )  # fmt: skip

    def _read_from_outside(self, inner: Block, outer: Block) -> list[str]:
        written = {*self._inputs, *self._memories, EMPTY}
        reads: dict[str, None] = {}
        for operator in inner.ops:
            reads.update((name, None) for name in operator.input_arg_names if name not in written)
            written.update(operator.output_arg_names)
        return [name for name in reads if outer.find_var(name) is not None]

    def _block(self, method: str) -> Block:
        if self._inner is None:
            raise ArgumentError(f"StaticRNN.{method}: call it inside `with rnn.step():`")
        return self._inner

    def _bring_out(self, initial: Variable) -> None:
        """Move the operators that compute an initial state before the loop, if they read nothing of the step."""
        inner, outer = self._block("memory"), self._outer()
        chain = needed_ops(inner.ops, {initial.name}, set())
        local = {name for op in chain for name in op.output_arg_names}
        if any((name not in local and outer.find_var(name) is None) or name in self._inputs
               for op in chain for name in op.input_arg_names):  # fmt: skip
            return
        for op in chain:
            inner.ops.remove(op)
            op.block = outer
            outer.ops.append(op)
        for name in local:
            var = inner.vars.pop(name, None)
            if var is not None:
                var.block = outer
                outer.vars[name] = var
        inner.program.touch()

    def _check_outer(self, method: str, argument: str, value: object) -> None:
        var = _check(method, argument, value)
        if self._outer().find_var(var.name) is None:
            raise ArgumentError(
                f"StaticRNN.{method}: {argument} must be created before `with rnn.step():`, but the step creates "
                f"{var.describe()}"
            )

    def _outer(self) -> Block:
        assert self._inner is not None and self._inner.parent is not None
        return self._inner.parent


def _check(method: str, argument: str, value: object) -> Variable:
    if not isinstance(value, Variable):
        raise ArgumentError(f"StaticRNN.{method}: {argument} must be a Variable, got {type(value).__name__}")
    return value
