"""Decoding step by step, as a layer, and beam search with a Transformer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from refluid.hapi.text.cells import RNNCell
from refluid.hapi.text.transformer import TransformerDecoder
from refluid.layers.control_flow.nest import Structure, flatten, pack
from refluid.layers.creation import fill_constant_batch_size_like
from refluid.layers.elementwise import elementwise_mul
from refluid.layers.rnn.beam_search import BeamSearchDecoder
from refluid.layers.rnn.decoding import dynamic_decode
from refluid.layers.shape import reshape, squeeze, transpose
from refluid.nn.layer import Layer

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.layers.rnn.decoder import Decoder


class DynamicDecode(Layer):
    """Runs a decoder until all sequences have ended; see fluid.layers.dynamic_decode for the arguments."""

    def __init__(
        self,
        decoder: Decoder,
        max_step_num: int | None = None,
        output_time_major: bool = False,
        impute_finished: bool = False,
        is_test: bool = False,
        return_length: bool = False,
    ):
        super().__init__()
        self.decoder, self.max_step_num, self.output_time_major = decoder, max_step_num, output_time_major
        self.impute_finished, self.is_test, self.return_length = impute_finished, is_test, return_length

    def forward(self, inits: Structure = None, **kwargs: object) -> tuple[Any, ...]:
        """(outputs, final states), and lengths if asked for; kwargs go to the decoder's step."""
        return dynamic_decode(
            self.decoder, inits, self.max_step_num, self.output_time_major, self.impute_finished, self.is_test,
            self.return_length, **kwargs,
        )  # fmt: skip


class TransformerCell(RNNCell):
    """A Transformer's decoder as a cell: one more position at a time, the keys and values before it as its states.

    Args:
        decoder: a TransformerDecoder; without embedding_fn, a layer that takes tokens and positions in place of its
            first argument.
        embedding_fn: from tokens and positions, both [N, 1], to the decoder's input [N, 1, d_model].
        output_fn: from the decoder's output to a score for every token.
    """

    def __init__(
        self, decoder: TransformerDecoder, embedding_fn: Callable | None = None, output_fn: Callable | None = None
    ):
        super().__init__()
        self.decoder, self.embedding_fn, self.output_fn = decoder, embedding_fn, output_fn

    def forward(
        self,
        inputs: Structure,
        states: Structure = None,
        enc_output: BaseVariable | None = None,
        trg_slf_attn_bias: BaseVariable | None = None,
        trg_src_attn_bias: BaseVariable | None = None,
        static_caches: Sequence[Any] = (),
    ) -> tuple[Any, Any]:
        """(outputs, new states).

        Args:
            inputs: (tokens, positions).
            states: for each layer {"k", "v"}, as `get_initial_states` gives them first.
            static_caches: what `decoder.prepare_static_cache` gives; keys and values of enc_output otherwise.
        """
        fixed = static_caches or [{}] * len(states or ())
        caches = None if states is None else [{**own, **more} for own, more in zip(states, fixed, strict=True)]
        embedded = [self.embedding_fn(*inputs)] if self.embedding_fn is not None else list(inputs)
        outputs = self.decoder(*embedded, enc_output, trg_slf_attn_bias, trg_src_attn_bias, caches)
        if self.output_fn is not None:
            outputs = self.output_fn(outputs)
        return outputs, None if caches is None else [{"k": one["k"], "v": one["v"]} for one in caches]

    @property
    def state_shape(self) -> list[dict[str, list[int]]]:
        heads = self.decoder.n_head
        return [
            {"k": [heads, 0, self.decoder.d_key], "v": [heads, 0, self.decoder.d_value]}
            for _ in range(self.decoder.n_layer)
        ]


class TransformerBeamSearchDecoder(BeamSearchDecoder):
    """Beam search with a TransformerCell, whose states grow from step to step.

    Args:
        cell: a TransformerCell; its keyword arguments are [N * beam_size, ...]: see `tile_beam_merge_with_batch`.
        start_token, end_token: with which token sequences begin and end.
        beam_size: the number of beams per sequence.
        var_dim_in_state: the axis of the states, [N, heads, positions, width], that grows: 2.
    """

    def __init__(self, cell: RNNCell, start_token: int, end_token: int, beam_size: int, var_dim_in_state: int):
        super().__init__(cell, start_token, end_token, beam_size)
        self.var_dim_in_state = var_dim_in_state

    def step(
        self, time: BaseVariable, inputs: Structure, states: Structure, **kwargs: object
    ) -> tuple[Any, Any, Any, Any]:
        """(outputs, states, next tokens, which beams have ended) after one more token."""
        tokens = reshape(inputs, [-1, 1])
        first = fill_constant_batch_size_like(tokens, [-1, 1], "int64", 1)
        positions = elementwise_mul(first, time)
        before = pack(states.cell_states, [self._merged(leaf) for leaf in flatten(states.cell_states)])
        logits, after = self.cell((tokens, positions), before, **kwargs)
        after = pack(after, [self._apart(leaf) for leaf in flatten(after)])
        logits = self._split(squeeze(logits, [1]) if len(logits.shape) == 3 else logits)
        said, after = self._search(logits, after, states)
        return said, after, said.predicted_ids, after.finished

    # A size that is unknown, or 0 at first, must not stand beside one that is to be found: it goes to the front.

    def _merged(self, x: BaseVariable) -> BaseVariable:
        """[N, beam_size, ...] to [N * beam_size, ...]."""
        grows, rank = self.var_dim_in_state + 1, len(x.shape)
        x = transpose(x, [*range(grows, rank), *range(grows)])
        x = reshape(x, [0] * (rank - grows) + [self._batch * self.beam_size, *x.shape[rank - grows + 2 :]])
        return transpose(x, [*range(rank - grows, rank - 1), *range(rank - grows)])

    def _apart(self, x: BaseVariable) -> BaseVariable:
        """[N * beam_size, ...] to [N, beam_size, ...]."""
        grows, rank = self.var_dim_in_state, len(x.shape)
        x = transpose(x, [*range(grows, rank), *range(grows)])
        x = reshape(x, [0] * (rank - grows) + [self._batch, self.beam_size, *x.shape[rank - grows + 1 :]])
        return transpose(x, [*range(rank - grows, rank + 1), *range(rank - grows)])
