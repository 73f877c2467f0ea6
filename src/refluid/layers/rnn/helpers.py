"""Helpers of BasicDecoder: which token a step emits, and what the next step reads."""

from __future__ import annotations

from collections.abc import Callable

from refluid.core.errors import NotDefinedError
from refluid.ir.base_variable import BaseVariable
from refluid.layers.activation import softmax
from refluid.layers.compare import equal, less_equal
from refluid.layers.control_flow.nest import Structure, flatten, pack
from refluid.layers.creation import fill_constant, fill_constant_batch_size_like
from refluid.layers.indexing import slice as slice_axes
from refluid.layers.pad import pad
from refluid.layers.random import sampling_id
from refluid.layers.shape import squeeze
from refluid.layers.tensor import argmax, cast


class DecodeHelper:
    """The base class of helpers: which token a step emits, and what the next step reads."""

    def initialize(self) -> tuple[Structure, BaseVariable]:
        """(initial inputs, finished sequences)."""
        raise NotDefinedError(f"{type(self).__name__} must define initialize()")

    def sample(self, time: BaseVariable, outputs: Structure, states: Structure) -> BaseVariable:
        """The tokens that the step emits."""
        raise NotDefinedError(f"{type(self).__name__} must define sample(time, outputs, states)")

    def next_inputs(
        self, time: BaseVariable, outputs: Structure, states: Structure, sample_ids: BaseVariable
    ) -> tuple[BaseVariable, Structure, Structure]:
        """(finished sequences, next inputs, next states)."""
        raise NotDefinedError(f"{type(self).__name__} must define next_inputs(time, outputs, states, sample_ids)")


class TrainingHelper(DecodeHelper):
    """Teacher forcing: the inputs are given sequences, whatever the cell emits.

    Args:
        inputs: a variable [N, T, ...], or a structure of variables.
        sequence_length: int [N].
        time_major: inputs are [T, N, ...].
    """

    def __init__(self, inputs: Structure, sequence_length: BaseVariable, time_major: bool = False):
        self.inputs, self.sequence_length, self.time_major = inputs, sequence_length, time_major
        self._axis = 0 if time_major else 1
        # The step after the last one is read too, though its result is not used.
        self._padded = [pad(leaf, self._one_more(len(leaf.shape))) for leaf in flatten(inputs)]

    def _one_more(self, rank: int) -> list[int]:
        sizes = [0] * (2 * rank)
        sizes[2 * self._axis + 1] = 1
        return sizes

    def initialize(self) -> tuple[Structure, BaseVariable]:
        zero = fill_constant([1], self.sequence_length.dtype, 0)
        first = [self._at(leaf, 0, 1) for leaf in flatten(self.inputs)]
        return pack(self.inputs, first), equal(self.sequence_length, zero)

    def sample(self, time: BaseVariable, outputs: Structure, states: Structure) -> BaseVariable:
        return argmax(outputs, axis=-1)

    def next_inputs(
        self, time: BaseVariable, outputs: Structure, states: Structure, sample_ids: BaseVariable
    ) -> tuple[BaseVariable, Structure, Structure]:
        dtype = self.sequence_length.dtype
        following = (cast(time, dtype) if time.dtype != dtype else time) + 1
        after = following + 1
        inputs = pack(self.inputs, [self._at(leaf, following, after) for leaf in self._padded])
        return less_equal(self.sequence_length, following), inputs, states

    def _at(self, x: BaseVariable, start: int | BaseVariable, end: int | BaseVariable) -> BaseVariable:
        return squeeze(slice_axes(x, axes=[self._axis], starts=[start], ends=[end]), [self._axis])


class GreedyEmbeddingHelper(DecodeHelper):
    """Greedy decoding: emits the argmax token, which is the next input.

    Args:
        embedding_fn: from tokens [N] to inputs of the cell.
        start_tokens: int64 [N].
        end_token: the token that ends a sequence.
    """

    def __init__(
        self,
        embedding_fn: Callable[[BaseVariable], Structure],
        start_tokens: BaseVariable,
        end_token: int | BaseVariable,
    ):
        self.embedding_fn, self.start_tokens = embedding_fn, start_tokens
        self.end_token = fill_constant([1], "int64", end_token) if isinstance(end_token, int) else end_token

    def initialize(self) -> tuple[Structure, BaseVariable]:
        none_finished = fill_constant_batch_size_like(self.start_tokens, [-1], "bool", False, force_cpu=True)
        return self.embedding_fn(self.start_tokens), none_finished

    def sample(self, time: BaseVariable, outputs: Structure, states: Structure) -> BaseVariable:
        return argmax(outputs, axis=-1)

    def next_inputs(
        self, time: BaseVariable, outputs: Structure, states: Structure, sample_ids: BaseVariable
    ) -> tuple[BaseVariable, Structure, Structure]:
        return equal(sample_ids, self.end_token), self.embedding_fn(sample_ids), states


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Sampling: emits a token drawn from the softmax of the outputs, which is the next input.

    Args:
        embedding_fn: from tokens [N] to inputs of the cell.
        start_tokens: int64 [N].
        end_token: the token that ends a sequence.
        softmax_temperature: divides the logits; None for 1.
        seed: the seed of the sampling; None for the program's random_seed.
    """

    def __init__(
        self,
        embedding_fn: Callable[[BaseVariable], Structure],
        start_tokens: BaseVariable,
        end_token: int | BaseVariable,
        softmax_temperature: float | None = None,
        seed: int | None = None,
    ):
        super().__init__(embedding_fn, start_tokens, end_token)
        self.seed = seed
        self._temperature = None
        if softmax_temperature is not None:
            self._temperature = fill_constant([1], "float32", softmax_temperature)

    def sample(self, time: BaseVariable, outputs: Structure, states: Structure) -> BaseVariable:
        scores = outputs if self._temperature is None else outputs / self._temperature
        return sampling_id(softmax(scores), seed=self.seed or 0, dtype=self.start_tokens.dtype)
