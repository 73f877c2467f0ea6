"""TrainingDecoder: a decoder with teacher forcing: each step reads the right word."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from refluid.contrib.decoder.state import InitState, StateCell
from refluid.core.errors import ArgumentError
from refluid.layers.control_flow.dynamic_rnn import DynamicRNN

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


class Memory:
    """A state kept as a memory of a DynamicRNN."""

    def __init__(self, rnn: DynamicRNN, init: InitState):
        self._rnn = rnn
        self._before = rnn.memory(init=init.value, need_reorder=init.need_reorder)

    def get_state(self) -> BaseVariable:
        return self._before

    def update_state(self, state: Any) -> None:
        self._rnn.update_memory(self._before, state)


class TrainingDecoder:
    """Runs the step of a StateCell over sequences.

    Example:
        decoder = TrainingDecoder(cell)
        with decoder.block():
            word = decoder.step_input(embedded)
            decoder.state_cell.compute_state(inputs={"word": word})
            scores = fluid.layers.fc(decoder.state_cell.get_state("h"), classes, act="softmax")
            decoder.state_cell.update_states()
            decoder.output(scores)
        scores = decoder()
    """

    type = "training"

    def __init__(self, state_cell: StateCell, name: str | None = None):
        self._rnn = DynamicRNN()
        self._cell = state_cell
        self._status = "before"
        state_cell.enter(self)

    def keep(self, init: InitState) -> Memory:
        return Memory(self._rnn, init)

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """The operators built inside are one step."""
        if self._status != "before":
            raise ArgumentError("TrainingDecoder.block: a decoder has one block")
        self._status = "inside"
        try:
            with self._rnn.block():
                yield
        finally:
            self._status = "after"
            self._cell.leave()

    @property
    def state_cell(self) -> StateCell:
        self._inside("state_cell")
        return self._cell

    @property
    def dynamic_rnn(self) -> DynamicRNN:
        """What runs the steps."""
        return self._rnn

    def step_input(self, x: Any) -> BaseVariable:
        """The step's part of a LoDTensor."""
        self._inside("step_input")
        return self._rnn.step_input(x)

    def static_input(self, x: Any) -> BaseVariable:
        """All of x in every step."""
        self._inside("static_input")
        return self._rnn.static_input(x)

    def output(self, *outputs: Any) -> None:
        """What calling the decoder gives, of all steps."""
        self._inside("output")
        self._rnn.output(*outputs)

    def __call__(self, *args: object, **kwargs: object) -> BaseVariable | list[BaseVariable]:
        """The outputs of all steps."""
        if self._status != "after":
            raise ArgumentError("TrainingDecoder: its outputs are available after its block")
        return self._rnn(*args, **kwargs)

    def _inside(self, method: str) -> None:
        if self._status != "inside":
            raise ArgumentError(f"TrainingDecoder.{method}: call it inside `with decoder.block():`")
