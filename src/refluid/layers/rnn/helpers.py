"""Helpers of BasicDecoder: which token a step says, and what the next one reads."""

from __future__ import annotations

from typing import Any

from refluid.layers.activation import softmax
from refluid.layers.compare import equal, less_equal
from refluid.layers.control_flow.nest import flatten, pack
from refluid.layers.creation import fill_constant, fill_constant_batch_size_like
from refluid.layers.indexing import slice as slice_axes
from refluid.layers.pad import pad
from refluid.layers.random import sampling_id
from refluid.layers.shape import squeeze
from refluid.layers.tensor import argmax, cast


class DecodeHelper:
    """Base of helpers."""

    def initialize(self) -> Any:
        """(first inputs, which sequences have ended)."""
        raise NotImplementedError(f"{type(self).__name__} must define initialize()")

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        """The tokens that the outputs say."""
        raise NotImplementedError(f"{type(self).__name__} must define sample(time, outputs, states)")

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> Any:
        """(which sequences have ended, next inputs, next states)."""
        raise NotImplementedError(f"{type(self).__name__} must define next_inputs(time, outputs, states, sample_ids)")


class TrainingHelper(DecodeHelper):
    """Reads given sequences, whatever the cell says.

    Args:
        inputs: [N, T, ...], or a structure of such.
        sequence_length: ints [N].
        time_major: inputs are [T, N, ...].
    """

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False):
        self.inputs, self.sequence_length, self.time_major = inputs, sequence_length, time_major
        self._axis = 0 if time_major else 1
        # The step after the last one is read, too, though nobody uses what it gives.
        self._padded = [pad(leaf, self._one_more(len(leaf.shape))) for leaf in flatten(inputs)]

    def _one_more(self, rank: int) -> list[int]:
        sizes = [0] * (2 * rank)
        sizes[2 * self._axis + 1] = 1
        return sizes

    def initialize(self) -> tuple[Any, Any]:
        zero = fill_constant([1], self.sequence_length.dtype, 0)
        first = [self._at(leaf, 0, 1) for leaf in flatten(self.inputs)]
        return pack(self.inputs, first), equal(self.sequence_length, zero)

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        return argmax(outputs, axis=-1)

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> tuple[Any, Any, Any]:
        dtype = self.sequence_length.dtype
        following = (cast(time, dtype) if time.dtype != dtype else time) + 1
        after = following + 1
        inputs = pack(self.inputs, [self._at(leaf, following, after) for leaf in self._padded])
        return less_equal(self.sequence_length, following), inputs, states

    def _at(self, x: Any, start: Any, end: Any) -> Any:
        return squeeze(slice_axes(x, axes=[self._axis], starts=[start], ends=[end]), [self._axis])


class GreedyEmbeddingHelper(DecodeHelper):
    """Says the most probable token, and reads what it has said.

    Args:
        embedding_fn: from tokens [N] to inputs of the cell.
        start_tokens: int64 [N].
        end_token: ends a sequence.
    """

    def __init__(self, embedding_fn: Any, start_tokens: Any, end_token: Any):
        self.embedding_fn, self.start_tokens = embedding_fn, start_tokens
        self.end_token = fill_constant([1], "int64", end_token) if isinstance(end_token, int) else end_token

    def initialize(self) -> tuple[Any, Any]:
        nobody = fill_constant_batch_size_like(self.start_tokens, [-1], "bool", False, force_cpu=True)
        return self.embedding_fn(self.start_tokens), nobody

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        return argmax(outputs, axis=-1)

    def next_inputs(self, time: Any, outputs: Any, states: Any, sample_ids: Any) -> tuple[Any, Any, Any]:
        return equal(sample_ids, self.end_token), self.embedding_fn(sample_ids), states


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Says a token by chance, as probable as the cell finds it, and reads what it has said.

    Args:
        embedding_fn, start_tokens, end_token: as for GreedyEmbeddingHelper.
        softmax_temperature: divides the scores: above 1 for more surprising tokens.
        seed: for the same tokens in every run.
    """

    def __init__(
        self,
        embedding_fn: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: float | None = None,
        seed: int | None = None,
    ):
        super().__init__(embedding_fn, start_tokens, end_token)
        self.seed = seed
        self._temperature = None
        if softmax_temperature is not None:
            self._temperature = fill_constant([1], "float32", softmax_temperature)

    def sample(self, time: Any, outputs: Any, states: Any) -> Any:
        scores = outputs if self._temperature is None else outputs / self._temperature
        return sampling_id(softmax(scores), seed=self.seed or 0, dtype=self.start_tokens.dtype)
