"""Decoding step by step, and beam search: the most probable sequences that a cell can say."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any, NamedTuple

import numpy as np

from refluid.core import mode
from refluid.core.errors import ArgumentError, DtypeError
from refluid.eager.base import no_grad
from refluid.hapi.text.cells import RNNCell
from refluid.layers.activation import log_softmax
from refluid.layers.compare import equal, logical_or
from refluid.layers.creation import fill_constant, fill_constant_batch_size_like
from refluid.layers.elementwise import (
    elementwise_add,
    elementwise_floordiv,
    elementwise_mod,
    elementwise_mul,
)
from refluid.layers.indexing import index_sample
from refluid.layers.math import matmul, scale
from refluid.layers.shape import expand, reshape, stack, transpose, unsqueeze
from refluid.layers.tensor import assign, cast, fluid_one_hot, topk
from refluid.nn.layer import Layer
from refluid.ops.sequence.gather_tree import gather_tree

_NEVER = -1e9  # the logarithm of the probability of what cannot be


class BeamOutputs(NamedTuple):
    """Of one step: scores, tokens and which beam each goes on from, all [batch, beams]."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class BeamStates(NamedTuple):
    """The cell's states [batch, beams, ...], and of every beam its score, whether it has ended and its length."""

    cell_states: Any
    log_probs: Any
    finished: Any
    lengths: Any


class BeamSearchDecoder:
    """Keeps the `beam_size` most probable beginnings, and goes on from them token by token.

    Args:
        cell: an RNNCell.
        start_token, end_token: with which token sequences begin and end.
        beam_size: how many beginnings are kept.
        embedding_fn: from tokens [batch, beams] to the cell's inputs; the tokens themselves by default.
        output_fn: from the cell's outputs to a score for every token; the outputs themselves by default.
    """

    def __init__(
        self,
        cell: RNNCell,
        start_token: int,
        end_token: int,
        beam_size: int,
        embedding_fn: Any = None,
        output_fn: Any = None,
    ):
        if not isinstance(cell, RNNCell):
            raise DtypeError(f"BeamSearchDecoder: cell must be an RNNCell, got {type(cell).__name__}")
        if not isinstance(beam_size, int) or beam_size < 1:
            raise ArgumentError(f"BeamSearchDecoder: beam_size must be an int of at least 1, got {beam_size!r}")
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size

    def initialize(self, initial_cell_states: Any) -> tuple[Any, BeamStates, Any]:
        """(first inputs, first states, which beams have ended) from states [batch, ...] of the cell."""
        like, beams = _first(initial_cell_states), self.beam_size
        zeros = fill_constant_batch_size_like(like, [1, beams], "float32", 0.0)
        # All beams are the same at first, so that only one may count.
        only_one = assign(np.array([0.0] + [_NEVER] * (beams - 1), np.float32))
        finished = cast(zeros, "bool")
        states = BeamStates(
            _each(initial_cell_states, self._tile), elementwise_add(zeros, only_one), finished, cast(zeros, "int64")
        )
        tokens = fill_constant_batch_size_like(like, [1, beams], "int64", self.start_token)
        return self._inputs(tokens), states, finished

    def step(self, time: int, inputs: Any, states: BeamStates, **kwargs: Any) -> tuple[Any, BeamStates, Any, Any]:
        """(outputs, states, next inputs, which beams have ended) after one more token."""
        outputs, cell_states = self.cell(inputs, _each(states.cell_states, self._merge), **kwargs)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        width = outputs.shape[-1]
        said = log_softmax(self._split(outputs))
        ended = cast(states.finished, "float32")
        going = scale(ended, scale=-1.0, bias=1.0)
        # A beam that has ended says the end token for ever, at no cost.
        only_end = np.full(width, _NEVER, np.float32)
        only_end[self.end_token] = 0.0
        silent = elementwise_mul(expand(unsqueeze(ended, [2]), [1, 1, width]), assign(only_end), axis=2)
        said = elementwise_add(elementwise_mul(said, going, axis=0), silent)
        total = reshape(elementwise_add(said, states.log_probs, axis=0), [-1, self.beam_size * width])
        scores, best = topk(total, self.beam_size)
        size = fill_constant([1], "int64", width)
        parents, tokens = elementwise_floordiv(best, size), elementwise_mod(best, size)
        chosen = _Chosen(parents, self.beam_size)
        had_ended = chosen.of(cast(states.finished, "int64"))
        lengths = elementwise_add(chosen.of(states.lengths), scale(had_ended, scale=-1, bias=1))
        end = fill_constant([1], "int64", self.end_token)
        finished = logical_or(cast(had_ended, "bool"), equal(tokens, end))
        after = BeamStates(_each(_each(cell_states, self._split), chosen.rows), scores, finished, lengths)
        return BeamOutputs(scores, tokens, parents), after, self._inputs(tokens), finished

    def finalize(self, outputs: BeamOutputs, final_states: BeamStates) -> tuple[Any, BeamStates]:
        """(tokens [steps, batch, beams], each beam followed back from its end; the states)."""
        return gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    def _inputs(self, tokens: Any) -> Any:
        return self._merge(self.embedding_fn(tokens) if self.embedding_fn is not None else tokens)

    def _tile(self, x: Any) -> Any:
        """[batch, ...] to [batch, beams, ...]."""
        return expand(unsqueeze(x, [1]), [1, self.beam_size] + [1] * (len(x.shape) - 1))

    def _merge(self, x: Any) -> Any:
        """[batch, beams, ...] to [batch * beams, ...]."""
        return reshape(x, [-1, *x.shape[2:]])

    def _split(self, x: Any) -> Any:
        """[batch * beams, ...] to [batch, beams, ...]."""
        return reshape(x, [-1, self.beam_size, *x.shape[1:]])


class _Chosen:
    """Takes values of the beams that new beams go on from."""

    def __init__(self, parents: Any, beams: int):
        self._parents, self._beams = parents, beams
        self._rows = fluid_one_hot(parents, beams)

    def of(self, x: Any) -> Any:
        """Of numbers [batch, beams]."""
        return index_sample(x, self._parents)

    def rows(self, x: Any) -> Any:
        """Of states [batch, beams, ...]; a product with ones and zeros needs no number of the batch."""
        flat = reshape(x, [-1, self._beams, int(np.prod(x.shape[2:]))])
        return reshape(matmul(self._rows, flat), [-1, *x.shape[1:]])


def _each(value: Any, function: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_each(one, function) for one in value]
    return function(value)


def _first(value: Any) -> Any:
    return _first(value[0]) if isinstance(value, list | tuple) else value


class DynamicDecode(Layer):
    """Lets a decoder go on until all sequences have ended.

    In the static mode the steps are written into the program one by one, `max_step_num` + 1 of them, whether all have
    ended before or not.

    Args:
        decoder: has `initialize`, `step` and `finalize`, as BeamSearchDecoder does.
        max_step_num: the number of the last step, counted from 0; None for as many as it takes.
        output_time_major: outputs are [steps, batch, ...] in place of [batch, steps, ...].
        is_test: nothing is remembered for gradients.
        return_length: return the lengths of the sequences, too.
    """

    def __init__(
        self,
        decoder: Any,
        max_step_num: int | None = None,
        output_time_major: bool = False,
        is_test: bool = False,
        return_length: bool = False,
    ):
        super().__init__()
        self.decoder, self.max_step_num, self.output_time_major = decoder, max_step_num, output_time_major
        self.is_test, self.return_length = is_test, return_length

    def forward(self, inits: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        """(outputs, final states), and lengths if asked for; kwargs go to the cell.

        Args:
            inits: the first states of the cell, [batch, ...].
        """
        imperative = mode.current.imperative
        if self.max_step_num is None and not imperative:
            raise ArgumentError("DynamicDecode: max_step_num must be given in the static mode")
        with no_grad() if self.is_test else contextlib.nullcontext():
            inputs, states, finished = self.decoder.initialize(inits)
            said = []
            for time in itertools.count():
                outputs, states, inputs, finished = self.decoder.step(time, inputs, states, **kwargs)
                said.append(outputs)
                if time == self.max_step_num or (imperative and bool(finished.numpy().all())):
                    break
            stacked = type(said[0])(*(stack(list(parts), axis=0) for parts in zip(*said, strict=True)))
            result, states = self.decoder.finalize(stacked, states)
            if not self.output_time_major:
                result = transpose(result, [1, 0, *range(2, len(result.shape))])
        return (result, states, states.lengths) if self.return_length else (result, states)
