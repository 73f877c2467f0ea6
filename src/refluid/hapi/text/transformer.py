"""The Transformer's encoder and decoder (Vaswani and others, 2017)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.core.errors import ArgumentError
from refluid.hapi.text.attention import FFN, Cache, MultiHeadAttention, PrePostProcessLayer
from refluid.layers.creation import fill_constant_batch_size_like
from refluid.nn.container import LayerList
from refluid.nn.layer import Layer

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


class _Around(Layer):
    """A layer with its pre- and postprocessing."""

    def __init__(self, inner: Layer, before: str, after: str, d_model: int, dropout: float):
        super().__init__()
        self.before = PrePostProcessLayer(before, d_model, dropout)
        self.inner = inner
        self.after = PrePostProcessLayer(after, d_model, dropout)

    def forward(self, x: BaseVariable, *args: object, **kwargs: object) -> BaseVariable:
        return self.after(self.inner(self.before(x), *args, **kwargs), x)


class TransformerEncoderLayer(Layer):
    """Self-attention, then a feed-forward network for each position.

    Args:
        n_head, d_key, d_value, d_model: see MultiHeadAttention.
        d_inner_hid: the width of the hidden layer of the feed-forward network.
        prepostprocess_dropout, attention_dropout, relu_dropout: dropout probabilities.
        preprocess_cmd, postprocess_cmd: the pre- and postprocessing of both; see PrePostProcessLayer.
        ffn_fc1_act: the activation of the hidden layer.
    """

    def __init__(
        self,
        n_head: int,
        d_key: int,
        d_value: int,
        d_model: int,
        d_inner_hid: int,
        prepostprocess_dropout: float = 0.1,
        attention_dropout: float = 0.1,
        relu_dropout: float = 0.1,
        preprocess_cmd: str = "n",
        postprocess_cmd: str = "da",
        ffn_fc1_act: str = "relu",
    ):
        super().__init__()
        around = preprocess_cmd, postprocess_cmd, d_model, prepostprocess_dropout
        self.self_attn = _Around(MultiHeadAttention(d_key, d_value, d_model, n_head, attention_dropout), *around)
        self.ffn = _Around(FFN(d_inner_hid, d_model, relu_dropout, ffn_fc1_act), *around)

    def forward(self, enc_input: BaseVariable, attn_bias: BaseVariable | None = None) -> BaseVariable:
        return self.ffn(self.self_attn(enc_input, attn_bias=attn_bias))


class TransformerEncoder(Layer):
    """`n_layer` TransformerEncoderLayers, and the preprocessing of a layer once more at the end."""

    def __init__(
        self,
        n_layer: int,
        n_head: int,
        d_key: int,
        d_value: int,
        d_model: int,
        d_inner_hid: int,
        prepostprocess_dropout: float = 0.1,
        attention_dropout: float = 0.1,
        relu_dropout: float = 0.1,
        preprocess_cmd: str = "n",
        postprocess_cmd: str = "da",
        ffn_fc1_act: str = "relu",
    ):
        super().__init__()
        self.encoder_layers = LayerList(
            [
                TransformerEncoderLayer(
                    n_head, d_key, d_value, d_model, d_inner_hid, prepostprocess_dropout, attention_dropout,
                    relu_dropout, preprocess_cmd, postprocess_cmd, ffn_fc1_act,
                )
                for _ in range(n_layer)
            ]
        )  # fmt: skip
        self.processer = PrePostProcessLayer(preprocess_cmd, d_model, prepostprocess_dropout)

    def forward(self, enc_input: BaseVariable, attn_bias: BaseVariable | None = None) -> BaseVariable:
        """[batch, length, d_model] to the same; attn_bias masks positions, see MultiHeadAttention."""
        for layer in self.encoder_layers:
            enc_input = layer(enc_input, attn_bias)
        return self.processer(enc_input)


class TransformerDecoderLayer(Layer):
    """Self-attention, cross-attention to the encoder's output, then a feed-forward network for each position.

    For the arguments see TransformerEncoderLayer.
    """

    def __init__(
        self,
        n_head: int,
        d_key: int,
        d_value: int,
        d_model: int,
        d_inner_hid: int,
        prepostprocess_dropout: float = 0.1,
        attention_dropout: float = 0.1,
        relu_dropout: float = 0.1,
        preprocess_cmd: str = "n",
        postprocess_cmd: str = "da",
        ffn_fc1_act: str = "relu",
    ):
        super().__init__()
        around = preprocess_cmd, postprocess_cmd, d_model, prepostprocess_dropout
        heads = d_key, d_value, d_model, n_head, attention_dropout
        self.self_attn = _Around(MultiHeadAttention(*heads), *around)
        self.cross_attn = _Around(MultiHeadAttention(*heads), *around)
        self.ffn = _Around(FFN(d_inner_hid, d_model, relu_dropout, ffn_fc1_act), *around)

    def forward(
        self,
        dec_input: BaseVariable,
        enc_output: BaseVariable,
        self_attn_bias: BaseVariable | None = None,
        cross_attn_bias: BaseVariable | None = None,
        cache: Cache | None = None,
    ) -> BaseVariable:
        own: Cache | None = None
        encoded: Cache | None = None
        if cache is not None:
            own = {key: cache[key] for key in ("k", "v") if key in cache}
            encoded = {key: cache[key] for key in ("static_k", "static_v") if key in cache} or None
        x = self.self_attn(dec_input, attn_bias=self_attn_bias, cache=own)
        if cache is not None and own is not None:
            cache.update(own)
        x = self.cross_attn(x, enc_output, enc_output, attn_bias=cross_attn_bias, cache=encoded)
        return self.ffn(x)


class TransformerDecoder(Layer):
    """`n_layer` TransformerDecoderLayers, and the preprocessing of a layer once more at the end."""

    def __init__(
        self,
        n_layer: int,
        n_head: int,
        d_key: int,
        d_value: int,
        d_model: int,
        d_inner_hid: int,
        prepostprocess_dropout: float = 0.1,
        attention_dropout: float = 0.1,
        relu_dropout: float = 0.1,
        preprocess_cmd: str = "n",
        postprocess_cmd: str = "da",
        ffn_fc1_act: str = "relu",
    ):
        super().__init__()
        self.n_layer, self.n_head, self.d_key, self.d_value = n_layer, n_head, d_key, d_value
        self.decoder_layers = LayerList(
            [
                TransformerDecoderLayer(
                    n_head, d_key, d_value, d_model, d_inner_hid, prepostprocess_dropout, attention_dropout,
                    relu_dropout, preprocess_cmd, postprocess_cmd, ffn_fc1_act,
                )
                for _ in range(n_layer)
            ]
        )  # fmt: skip
        self.processer = PrePostProcessLayer(preprocess_cmd, d_model, prepostprocess_dropout)

    def forward(
        self,
        dec_input: BaseVariable,
        enc_output: BaseVariable,
        self_attn_bias: BaseVariable | None = None,
        cross_attn_bias: BaseVariable | None = None,
        caches: list[Cache] | None = None,
    ) -> BaseVariable:
        """[batch, length, d_model] to the same.

        Args:
            enc_output: [batch, source length, d_model].
            self_attn_bias, cross_attn_bias: mask positions of the decoder's input, and of the encoder's output.
            caches: a dictionary for each layer, which grows from call to call: give the next position alone then. It
                begins with what `prepare_incremental_cache` gives, or `prepare_static_cache`, or both.
        """
        if caches is not None and len(caches) != self.n_layer:
            raise ArgumentError(f"TransformerDecoder: caches must be {self.n_layer}, one a layer, got {len(caches)}")
        for i, layer in enumerate(self.decoder_layers):
            cache = None if caches is None else caches[i]
            dec_input = layer(dec_input, enc_output, self_attn_bias, cross_attn_bias, cache)
        return self.processer(dec_input)

    def prepare_static_cache(self, enc_output: BaseVariable) -> list[Cache]:
        """Caches with the keys and values of the encoder's output, computed once for all positions."""
        caches = []
        for layer in self.decoder_layers:
            k, v = layer.cross_attn.inner.keys_and_values(enc_output, enc_output)
            caches.append({"static_k": k, "static_v": v})
        return caches

    def prepare_incremental_cache(self, enc_output: BaseVariable) -> list[Cache]:
        """Caches without any position yet, for a batch like that of enc_output."""
        return [
            {
                name: fill_constant_batch_size_like(enc_output, [-1, self.n_head, 0, width], enc_output.dtype, 0)
                for name, width in (("k", self.d_key), ("v", self.d_value))
            }
            for _ in range(self.n_layer)
        ]
