"""BeamSearchDecoder: the most probable sequences that a cell can say."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.layers.activation import log_softmax
from refluid.layers.compare import equal, logical_not, logical_or
from refluid.layers.control_flow.nest import flatten, pack
from refluid.layers.creation import fill_constant, fill_constant_batch_size_like, range as range_of, zeros_like
from refluid.layers.decoding import gather_tree
from refluid.layers.elementwise import elementwise_add, elementwise_floordiv, elementwise_mod, elementwise_mul
from refluid.layers.indexing import gather_nd
from refluid.layers.rnn.decoder import Decoder
from refluid.layers.shape import expand, reshape, shape, stack, transpose, unsqueeze
from refluid.layers.tensor import assign, cast, topk

_NEVER = -1e9  # the logarithm of the probability of what cannot be


class BeamSearchDecoder(Decoder):
    """Keeps the `beam_size` most probable beginnings, and goes on from them token by token.

    Args:
        cell: an RNNCell; it sees [N * beam_size, ...].
        start_token, end_token: with which token sequences begin and end.
        beam_size: how many beginnings are kept.
        embedding_fn: from tokens [N, beam_size] to the cell's inputs; the tokens themselves by default.
        output_fn: from the cell's outputs [N, beam_size, ...] to a score for every token.
    """

    OutputWrapper = collections.namedtuple("OutputWrapper", ("scores", "predicted_ids", "parent_ids"))
    StateWrapper = collections.namedtuple("StateWrapper", ("cell_states", "log_probs", "finished", "lengths"))
    tracks_own_finished = True

    def __init__(
        self,
        cell: Any,
        start_token: int,
        end_token: int,
        beam_size: int,
        embedding_fn: Any = None,
        output_fn: Any = None,
    ):
        if not isinstance(beam_size, int) or beam_size < 1:
            raise ArgumentError(f"BeamSearchDecoder: beam_size must be an int of at least 1, got {beam_size!r}")
        if not callable(cell):
            raise ArgumentError(f"BeamSearchDecoder: cell must be an RNNCell, got {type(cell).__name__}")
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size

    @staticmethod
    def tile_beam_merge_with_batch(x: Any, beam_size: int) -> Any:
        """Repeat each element of a batch for its beams: [N, ...] to [N * beam_size, ...]."""
        rest = len(x.shape) - 1
        # Sizes behind the batch may be unknown: they are copied, which reshape does for the first axes alone.
        x = reshape(transpose(_tiled(x, beam_size), [*range(2, rest + 2), 0, 1]), [0] * rest + [-1])
        return transpose(x, [rest, *range(rest)])

    def initialize(self, initial_cell_states: Any) -> tuple[Any, Any, Any]:
        """(first inputs, first states, which beams have ended) from states [N, ...] of the cell."""
        if any(state is None for state in flatten(initial_cell_states)):
            raise ArgumentError("BeamSearchDecoder: the first states of the cell must be given, got None (as inits)")
        like, beams = flatten(initial_cell_states)[0], self.beam_size
        self._batch = shape(like)[0]
        self._end = fill_constant([1], "int64", self.end_token)
        states = _each(initial_cell_states, lambda x: _tiled(x, beams))
        tokens = fill_constant_batch_size_like(like, [-1, beams], "int64", self.start_token)
        # All beams are the same at first, so that only one may count.
        only_one = assign(np.array([0.0] + [_NEVER] * (beams - 1), np.float32))
        scores = elementwise_add(fill_constant_batch_size_like(like, [-1, beams], "float32", 0.0), only_one)
        finished = fill_constant_batch_size_like(like, [-1, beams], "bool", False, force_cpu=True)
        return self._inputs(tokens), self.StateWrapper(states, scores, finished, zeros_like(tokens)), finished

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> tuple[Any, Any, Any, Any]:
        """(outputs, states, next inputs, which beams have ended) after one more token."""
        outputs, cell_states = self.cell(_each(inputs, _merged), _each(states.cell_states, _merged), **kwargs)
        outputs = _each(outputs, self._split)
        cell_states = _each(cell_states, self._split)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        said, after = self._search(outputs, cell_states, states)
        return said, after, self._inputs(said.predicted_ids), after.finished

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """(tokens [T, N, beam_size], each beam followed back from its end; the states)."""
        return gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    def _search(self, logits: Any, cell_states: Any, states: Any) -> tuple[Any, Any]:
        width = logits.shape[-1]
        said = self._mask_probs(log_softmax(logits), states.finished)
        total = reshape(elementwise_add(said, states.log_probs, axis=0), [-1, self.beam_size * width])
        scores, best = topk(total, self.beam_size)
        size = fill_constant([1], "int64", width)
        parents, tokens = elementwise_floordiv(best, size), elementwise_mod(best, size)
        rows = expand(unsqueeze(range_of(0, cast(self._batch, "int64"), 1, "int64"), [1]), [1, self.beam_size])
        places = stack([rows, parents], axis=2)
        cell_states = _each(cell_states, lambda x: gather_nd(x, places))
        had_ended = cast(gather_nd(cast(states.finished, "int32"), places), "bool")
        lengths = gather_nd(states.lengths, places) + cast(logical_not(had_ended), "int64")
        finished = logical_or(had_ended, equal(tokens, self._end))
        return self.OutputWrapper(scores, tokens, parents), self.StateWrapper(cell_states, scores, finished, lengths)

    def _mask_probs(self, said: Any, finished: Any) -> Any:
        """A beam that has ended says the end token for ever, at no cost."""
        width = said.shape[-1]
        only_end = np.full(width, _NEVER, np.float32)
        only_end[self.end_token] = 0.0
        ended = cast(finished, said.dtype)
        silent = elementwise_mul(expand(unsqueeze(ended, [2]), [1, 1, width]), assign(only_end), axis=-1)
        return silent - elementwise_mul(said, ended - 1, axis=0)

    def _inputs(self, tokens: Any) -> Any:
        return self.embedding_fn(tokens) if self.embedding_fn is not None else tokens

    def _split(self, x: Any) -> Any:
        """[N * beam_size, ...] to [N, beam_size, ...]."""
        return reshape(x, [-1, self.beam_size, *x.shape[1:]])


def _tiled(x: Any, beams: int) -> Any:
    """[N, ...] to [N, beams, ...]."""
    return expand(unsqueeze(x, [1]), [1, beams] + [1] * (len(x.shape) - 1))


def _merged(x: Any) -> Any:
    """[N, beams, ...] to [N * beams, ...]."""
    return reshape(x, [-1, *x.shape[2:]])


def _each(value: Any, function: Any) -> Any:
    return pack(value, [function(leaf) for leaf in flatten(value)])
