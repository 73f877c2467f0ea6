"""Operators that packages call and the C++ library computes (refluid/cpp/src/recurrent.cc): loops over sequences.

A compiler of graphs cannot unroll a loop whose length only a run tells, so these stay one call. Here they have the same
results by the functions that exported PyTorch modules carry.
"""

from __future__ import annotations

import torch
from torch import Tensor

from refluid.export.to_torch import helpers

_FUNCTIONS = {"sigmoid": torch.sigmoid, "tanh": torch.tanh, "relu": torch.relu, "identity": torch.clone}

torch.library.define(
    "refluid::lstm",
    "(Tensor x, Tensor lengths, Tensor weight, Tensor bias, str gate, str candidate, str output, bool peepholes, "
    "bool reverse, Tensor? h0, Tensor? c0) -> (Tensor, Tensor)",
)
torch.library.define(
    "refluid::gru",
    "(Tensor x, Tensor lengths, Tensor weight, str gate, str candidate, bool origin, bool reverse, Tensor? h0) "
    "-> Tensor",
)


@torch.library.impl("refluid::lstm", "cpu")
def _lstm(
    x: Tensor,
    lengths: Tensor,
    weight: Tensor,
    bias: Tensor,
    gate: str,
    candidate: str,
    output: str,
    peepholes: bool,
    reverse: bool,
    h0: Tensor | None,
    c0: Tensor | None,
) -> tuple[Tensor, Tensor]:
    functions = [_FUNCTIONS[name] for name in (gate, candidate, output)]
    return helpers.lstm(x, lengths, weight, bias, *functions, peepholes=peepholes, reverse=reverse, h0=h0, c0=c0)


@torch.library.impl("refluid::gru", "cpu")
def _gru(
    x: Tensor, lengths: Tensor, weight: Tensor, gate: str, candidate: str, origin: bool, reverse: bool,
    h0: Tensor | None,
) -> Tensor:  # fmt: skip
    return helpers.gru(
        x, lengths, weight, _FUNCTIONS[gate], _FUNCTIONS[candidate], origin, reverse=reverse, h0=h0
    )  # fmt: skip


@torch.library.register_fake("refluid::lstm")
def _shapes_of_lstm(x: Tensor, lengths: Tensor, weight: Tensor, *_: object) -> tuple[Tensor, Tensor]:
    return x.new_empty(x.shape[0], weight.shape[0]), x.new_empty(x.shape[0], weight.shape[0])


@torch.library.register_fake("refluid::gru")
def _shape_of_gru(x: Tensor, lengths: Tensor, weight: Tensor, *_: object) -> Tensor:
    return x.new_empty(x.shape[0], weight.shape[0])
