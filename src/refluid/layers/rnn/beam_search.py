"""BeamSearchDecoder: beam search over the outputs of a cell."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.ir.base_variable import BaseVariable
from refluid.layers.activation import log_softmax
from refluid.layers.compare import equal, logical_not, logical_or
from refluid.layers.control_flow.nest import Structure, flatten, pack
from refluid.layers.creation import fill_constant, fill_constant_batch_size_like, range as range_of, zeros_like
from refluid.layers.decoding import gather_tree
from refluid.layers.elementwise import elementwise_add, elementwise_floordiv, elementwise_mod, elementwise_mul
from refluid.layers.indexing import gather_nd
from refluid.layers.rnn.decoder import Decoder
from refluid.layers.shape import expand, reshape, shape, stack, transpose, unsqueeze
from refluid.layers.tensor import assign, cast, topk

_NEVER = -1e9  # the log-probability of an impossible token


class BeamSearchDecoder(Decoder):
    """Beam search: keeps the `beam_size` most probable prefixes and extends them token by token.

    Args:
        cell: an RNNCell; its batch is N * beam_size.
        start_token: the first token of every sequence.
        end_token: the token that ends a sequence.
        beam_size: the number of beams.
        embedding_fn: from tokens [N, beam_size] to inputs of the cell; None for the tokens themselves.
        output_fn: from outputs of the cell [N, beam_size, ...] to logits of the tokens; None for none.
    """

    OutputWrapper = collections.namedtuple("OutputWrapper", ("scores", "predicted_ids", "parent_ids"))
    StateWrapper = collections.namedtuple("StateWrapper", ("cell_states", "log_probs", "finished", "lengths"))
    tracks_own_finished = True

    def __init__(
        self,
        cell: Callable[..., Any],
        start_token: int,
        end_token: int,
        beam_size: int,
        embedding_fn: Callable[[BaseVariable], Structure] | None = None,
        output_fn: Callable[[BaseVariable], Structure] | None = None,
    ):
        if not isinstance(beam_size, int) or beam_size < 1:
            raise ArgumentError(f"BeamSearchDecoder: beam_size must be an int of at least 1, got {beam_size!r}")
        if not callable(cell):
            raise ArgumentError(f"BeamSearchDecoder: cell must be an RNNCell, got {type(cell).__name__}")
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size

    @staticmethod
    def tile_beam_merge_with_batch(x: BaseVariable, beam_size: int) -> BaseVariable:
        """Repeat each element of a batch for its beams: [N, ...] to [N * beam_size, ...]."""
        rest = len(x.shape) - 1
        # Sizes behind the batch may be unknown: they are copied, which reshape does for the first axes alone.
        x = reshape(transpose(_tiled(x, beam_size), [*range(2, rest + 2), 0, 1]), [0] * rest + [-1])
        return transpose(x, [rest, *range(rest)])

    def initialize(self, initial_cell_states: Structure) -> tuple[Structure, Structure, BaseVariable]:
        """(initial inputs, initial states, finished beams) from states [N, ...] of the cell."""
        if any(state is None for state in flatten(initial_cell_states)):
            raise ArgumentError("BeamSearchDecoder: the first states of the cell must be given, got None (as inits)")
        like, beams = flatten(initial_cell_states)[0], self.beam_size
        self._batch = shape(like)[0]
        self._end = fill_constant([1], "int64", self.end_token)
        states = _each(initial_cell_states, lambda x: _tiled(x, beams))
        tokens = fill_constant_batch_size_like(like, [-1, beams], "int64", self.start_token)
        # All beams are equal at first, so that only one of them may count.
        first_beam_only = assign(np.array([0.0] + [_NEVER] * (beams - 1), np.float32))
        scores = elementwise_add(fill_constant_batch_size_like(like, [-1, beams], "float32", 0.0), first_beam_only)
        finished = fill_constant_batch_size_like(like, [-1, beams], "bool", False, force_cpu=True)
        return self._inputs(tokens), self.StateWrapper(states, scores, finished, zeros_like(tokens)), finished

    def step(
        self, time: BaseVariable, inputs: Structure, states: Structure, **kwargs: object
    ) -> tuple[Structure, Structure, Structure, BaseVariable]:
        """(outputs, states, next inputs, finished beams) after one more token."""
        outputs, cell_states = self.cell(_each(inputs, _merged), _each(states.cell_states, _merged), **kwargs)
        outputs = _each(outputs, self._split)
        cell_states = _each(cell_states, self._split)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        emitted, new_states = self._search(outputs, cell_states, states)
        return emitted, new_states, self._inputs(emitted.predicted_ids), new_states.finished

    def finalize(
        self, outputs: Structure, final_states: Structure, sequence_lengths: BaseVariable
    ) -> tuple[Structure, Structure]:
        """(tokens [T, N, beam_size], each beam traced back from its end; the states)."""
        return gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    def _search(self, logits: BaseVariable, cell_states: Structure, states: Structure) -> tuple[Structure, Structure]:
        width = logits.shape[-1]
        log_probs = self._mask_probs(log_softmax(logits), states.finished)
        total = reshape(elementwise_add(log_probs, states.log_probs, axis=0), [-1, self.beam_size * width])
        scores, best = topk(total, self.beam_size)
        size = fill_constant([1], "int64", width)
        parents, tokens = elementwise_floordiv(best, size), elementwise_mod(best, size)
        rows = expand(unsqueeze(range_of(0, cast(self._batch, "int64"), 1, "int64"), [1]), [1, self.beam_size])
        coordinates = stack([rows, parents], axis=2)
        cell_states = _each(cell_states, lambda x: gather_nd(x, coordinates))
        was_finished = cast(gather_nd(cast(states.finished, "int32"), coordinates), "bool")
        lengths = gather_nd(states.lengths, coordinates) + cast(logical_not(was_finished), "int64")
        finished = logical_or(was_finished, equal(tokens, self._end))
        return self.OutputWrapper(scores, tokens, parents), self.StateWrapper(cell_states, scores, finished, lengths)

    def _mask_probs(self, log_probs: BaseVariable, finished: BaseVariable) -> BaseVariable:
        """The log-probabilities, where a finished beam emits the end token with probability 1."""
        width = log_probs.shape[-1]
        only_end = np.full(width, _NEVER, np.float32)
        only_end[self.end_token] = 0.0
        ended = cast(finished, log_probs.dtype)
        end_only = elementwise_mul(expand(unsqueeze(ended, [2]), [1, 1, width]), assign(only_end), axis=-1)
        return end_only - elementwise_mul(log_probs, ended - 1, axis=0)

    def _inputs(self, tokens: BaseVariable) -> Structure:
        return self.embedding_fn(tokens) if self.embedding_fn is not None else tokens

    def _split(self, x: BaseVariable) -> BaseVariable:
        """[N * beam_size, ...] to [N, beam_size, ...]."""
        return reshape(x, [-1, self.beam_size, *x.shape[1:]])


def _tiled(x: BaseVariable, beams: int) -> BaseVariable:
    """[N, ...] to [N, beams, ...]."""
    return expand(unsqueeze(x, [1]), [1, beams] + [1] * (len(x.shape) - 1))


def _merged(x: BaseVariable) -> BaseVariable:
    """[N, beams, ...] to [N * beams, ...]."""
    return reshape(x, [-1, *x.shape[2:]])


def _each(value: Structure, function: Callable[[BaseVariable], BaseVariable]) -> Structure:
    return pack(value, [function(leaf) for leaf in flatten(value)])
