"""Attention, and the feed-forward networks between attentions (Vaswani and others, 2017)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.hapi.text.shared import check_sizes, dropped
from refluid.layers.activation import softmax
from refluid.layers.elementwise import elementwise_add
from refluid.layers.math import matmul
from refluid.layers.shape import concat, reshape, transpose
from refluid.nn.layer import Layer
from refluid.nn.linear import Linear
from refluid.nn.norm import LayerNorm

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable

Cache = dict[str, Any]


class MultiHeadAttention(Layer):
    """Attention of several heads, each with its own projections of queries, keys and values.

    Args:
        d_key, d_value: the widths of a head's keys and values.
        d_model: the width of inputs and outputs.
        n_head: the number of heads.
        dropout_rate: the dropout probability of the attention weights.
    """

    def __init__(self, d_key: int, d_value: int, d_model: int, n_head: int = 1, dropout_rate: float = 0.0):
        super().__init__()
        check_sizes(self, d_key=d_key, d_value=d_value, d_model=d_model, n_head=n_head)
        self.n_head, self.d_key, self.d_value, self.dropout_rate = n_head, d_key, d_value, dropout_rate
        self.q_fc = Linear(d_model, d_key * n_head, bias_attr=False)
        self.k_fc = Linear(d_model, d_key * n_head, bias_attr=False)
        self.v_fc = Linear(d_model, d_value * n_head, bias_attr=False)
        self.proj_fc = Linear(d_value * n_head, d_model, bias_attr=False)

    def forward(
        self,
        queries: BaseVariable,
        keys: BaseVariable | None = None,
        values: BaseVariable | None = None,
        attn_bias: BaseVariable | None = None,
        cache: Cache | None = None,
    ) -> BaseVariable:
        """[batch, queries, d_model].

        Args:
            queries: [batch, queries, d_model]; keys and values, [batch, keys, d_model], are the same by default.
            attn_bias: added to the products of queries and keys, [batch, heads, queries, keys] or what broadcasts to
                it: a large negative number masks a key.
            cache: keys and values that were seen before: {"k", "v"} grow by those of this call, {"static_k",
                "static_v"} are taken in place of them.
        """
        keys = queries if keys is None else keys
        values = keys if values is None else values
        q = self._heads(self.q_fc(queries), self.d_key)
        if cache is not None and "static_k" in cache:
            k, v = cache["static_k"], cache["static_v"]
        else:
            k, v = self.keys_and_values(keys, values)
            if cache is not None:
                if "k" in cache:
                    k, v = concat([cache["k"], k], axis=2), concat([cache["v"], v], axis=2)
                cache["k"], cache["v"] = k, v
        product = matmul(q, k, transpose_y=True, alpha=self.d_key**-0.5)
        if attn_bias is not None:
            product = elementwise_add(product, attn_bias)
        weights = dropped(softmax(product), self.dropout_rate, self.training)
        joined = transpose(matmul(weights, v), [0, 2, 1, 3])
        return self.proj_fc(reshape(joined, [0, 0, self.n_head * self.d_value]))

    def keys_and_values(self, keys: BaseVariable, values: BaseVariable) -> tuple[Any, Any]:
        """Those of every head, [batch, heads, keys, width]: what a static cache is made of."""
        return self._heads(self.k_fc(keys), self.d_key), self._heads(self.v_fc(values), self.d_value)

    def _heads(self, x: BaseVariable, width: int) -> BaseVariable:
        return transpose(reshape(x, [0, 0, self.n_head, width]), [0, 2, 1, 3])


class FFN(Layer):
    """Two linear layers with an activation between them, applied to each position."""

    def __init__(self, d_inner_hid: int, d_model: int, dropout_rate: float = 0.0, fc1_act: str = "relu"):
        super().__init__()
        self.dropout_rate = dropout_rate
        self.fc1 = Linear(d_model, d_inner_hid, act=fc1_act)
        self.fc2 = Linear(d_inner_hid, d_model)

    def forward(self, x: BaseVariable) -> BaseVariable:
        return self.fc2(dropped(self.fc1(x), self.dropout_rate, self.training))


class PrePostProcessLayer(Layer):
    """What is done before and after a layer, by letters: "a" adds the layer's input, "n" normalises, "d" drops out."""

    def __init__(self, process_cmd: str, d_model: int, dropout_rate: float = 0.1):
        super().__init__()
        if set(process_cmd) - set("and"):
            raise ArgumentError(f"PrePostProcessLayer: process_cmd must be made of a, n and d, got {process_cmd!r}")
        self.process_cmd, self.dropout_rate = process_cmd, dropout_rate
        if "n" in process_cmd:
            self.norm = LayerNorm(d_model)

    def forward(self, x: BaseVariable, residual: BaseVariable | None = None) -> BaseVariable:
        for command in self.process_cmd:
            if command == "a":
                x = x if residual is None else elementwise_add(x, residual)
            elif command == "n":
                x = self.norm(x)
            else:
                x = dropped(x, self.dropout_rate, self.training)
        return x
