"""Decoders: what dynamic_decode runs, step by step."""

from __future__ import annotations

import collections
from typing import Any


class Decoder:
    """Base of decoders: how sequences begin and how they go on.

    `tracks_own_finished` is True where `finished` of a step already says all about earlier steps, because the decoder
    reorders its sequences; else a sequence that has ended once stays so.
    """

    tracks_own_finished = False

    def initialize(self, inits: Any) -> Any:
        """(first inputs, first states, which sequences have ended)."""
        raise NotImplementedError(f"{type(self).__name__} must define initialize(inits)")

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> Any:
        """(outputs, next states, next inputs, which sequences have ended).

        Args:
            time: the number of the step, int64 [1].
        """
        raise NotImplementedError(f"{type(self).__name__} must define step(time, inputs, states)")

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> Any:
        """(outputs, states) made of the outputs of all steps, [T, ...]; decoders that change nothing leave it out."""
        raise NotImplementedError(f"{type(self).__name__} has no finalize")


class BasicDecoder(Decoder):
    """A cell, and a helper that chooses what it reads next.

    Args:
        cell: an RNNCell.
        helper: a DecodeHelper.
        output_fn: applied to the cell's outputs.
    """

    OutputWrapper = collections.namedtuple("OutputWrapper", ("cell_outputs", "sample_ids"))

    def __init__(self, cell: Any, helper: Any, output_fn: Any = None):
        self.cell, self.helper, self.output_fn = cell, helper, output_fn

    def initialize(self, initial_cell_states: Any) -> tuple[Any, Any, Any]:
        inputs, finished = self.helper.initialize()
        return inputs, initial_cell_states, finished

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> tuple[Any, Any, Any, Any]:
        outputs, states = self.cell(inputs, states, **kwargs)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        sample_ids = self.helper.sample(time=time, outputs=outputs, states=states)
        sample_ids.stop_gradient = True
        finished, inputs, states = self.helper.next_inputs(
            time=time, outputs=outputs, states=states, sample_ids=sample_ids
        )
        return self.OutputWrapper(outputs, sample_ids), states, inputs, finished
