"""Decoders, which dynamic_decode runs step by step."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from refluid.core.errors import NotDefinedError
from refluid.ir.base_variable import BaseVariable
from refluid.layers.control_flow.nest import Structure

if TYPE_CHECKING:
    from refluid.layers.rnn.cells import RNNCell
    from refluid.layers.rnn.helpers import DecodeHelper


class Decoder:
    """The base class of decoders: how sequences begin and how they continue.

    `tracks_own_finished` is True where `finished` of a step already includes earlier steps, because the decoder
    reorders its sequences; else a sequence that has finished once stays so.
    """

    tracks_own_finished = False

    def initialize(self, inits: Structure) -> tuple[Structure, Structure, BaseVariable]:
        """(initial inputs, initial states, finished sequences)."""
        raise NotDefinedError(f"{type(self).__name__} must define initialize(inits)")

    def step(
        self, time: BaseVariable, inputs: Structure, states: Structure, **kwargs: Any
    ) -> tuple[Structure, Structure, Structure, BaseVariable]:
        """(outputs, next states, next inputs, finished sequences).

        Args:
            time: the number of the step, int64 [1].
        """
        raise NotDefinedError(f"{type(self).__name__} must define step(time, inputs, states)")

    def finalize(
        self, outputs: Structure, final_states: Structure, sequence_lengths: BaseVariable
    ) -> tuple[Structure, Structure]:
        """(outputs, states) made of the outputs of all steps, [T, ...]; decoders that change nothing leave it out."""
        raise NotImplementedError(f"{type(self).__name__} has no finalize")


class BasicDecoder(Decoder):
    """A cell with a helper that chooses its next inputs.

    Args:
        cell: an RNNCell.
        helper: a DecodeHelper.
        output_fn: applied to the outputs of the cell; None for none.
    """

    OutputWrapper = collections.namedtuple("OutputWrapper", ("cell_outputs", "sample_ids"))

    def __init__(self, cell: RNNCell, helper: DecodeHelper, output_fn: Callable[[Any], Any] | None = None):
        self.cell, self.helper, self.output_fn = cell, helper, output_fn

    def initialize(self, initial_cell_states: Structure) -> tuple[Structure, Structure, BaseVariable]:
        inputs, finished = self.helper.initialize()
        return inputs, initial_cell_states, finished

    def step(
        self, time: BaseVariable, inputs: Structure, states: Structure, **kwargs: Any
    ) -> tuple[Structure, Structure, Structure, BaseVariable]:
        outputs, states = self.cell(inputs, states, **kwargs)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        sample_ids = self.helper.sample(time=time, outputs=outputs, states=states)
        sample_ids.stop_gradient = True
        finished, inputs, states = self.helper.next_inputs(
            time=time, outputs=outputs, states=states, sample_ids=sample_ids
        )
        return self.OutputWrapper(outputs, sample_ids), states, inputs, finished
