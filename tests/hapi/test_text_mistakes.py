"""Layers for sequences that are made or called with the wrong things."""

import numpy as np
import pytest
from tests.hapi.digits import in_mode

import paddle.fluid as fluid
from paddle.incubate.hapi import text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: text.RNN("lstm"), "RNN: cell must be an RNNCell, got str"),
        (lambda: text.BasicLSTMCell(0, 3), "BasicLSTMCell: input_size must be an int of at least 1, got 0"),
        (lambda: text.StackedRNNCell([]), "cells must be a list of RNNCells"),
        (lambda: text.BidirectionalLSTM(2, 3, merge_mode="max"), "merge_mode must be one of concat, sum"),
        (
            lambda: text.BidirectionalGRU(2, 3, merge_mode="zip", merge_each_layer=True),
            "merge_each_layer needs merge_mode concat, sum, ave or mul, got 'zip'",
        ),
        (
            lambda: text.BasicGRUCell(2, 3, activation="tanh"),
            "activation must be a layer function such as fluid.layers.tanh, got 'tanh'",
        ),
        (lambda: text.BeamSearchDecoder("lstm", 0, 1, 2), "BeamSearchDecoder: cell must be an RNNCell, got str"),
        (
            lambda: text.BeamSearchDecoder(text.BasicGRUCell(2, 3), 0, 1, 0),
            "beam_size must be an int of at least 1, got 0",
        ),
        (lambda: text.DynamicDecode(None)(None), "decoder must be a Decoder, got NoneType"),
        (lambda: text.PrePostProcessLayer("xyz", 3, 0.1), "process_cmd must be made of a, n and d, got 'xyz'"),
        (lambda: text.MultiHeadAttention(3, 3, 8, n_head=0), "n_head must be an int of at least 1, got 0"),
        (lambda: text.CNNEncoder(2, [1, 2, 3], 2, 2, 2), r"num_filters must have one value or 2, got \[1, 2, 3\]"),
    ],
)
def test_mistakes(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()
    with pytest.raises(NotImplementedError, match="RNNCell must define state_shape"):
        text.RNNCell().state_shape


def x(*shape):
    return fluid.dygraph.to_variable(np.ones(shape, "float32"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: text.LSTM(4, 3)(x(2, 5, 5)),
            r"BasicLSTMCell: the inputs of a step must be \[batch, 4\], got \[2, 5\]",
        ),
        (lambda: text.GRU(4, 3)(x(2, 4)), r"BasicGRUCell: the inputs of a step must be \[batch, 4\], got \[2\]"),
        (lambda: text.GRU(4, 3)(x(2, 0, 4)), r"rnn: inputs must have at least one step, got the shape \[2, 0, 4\]"),
        (
            lambda: text.GRU(4, 3)(x(2, 5, 4), sequence_length=x(2, 1)),
            r"rnn: sequence_length must be ints \[N\], got the shape \[2, 1\]",
        ),
        (
            lambda: text.LSTM(4, 3)(x(2, 5, 4), [x(2, 3), x(2, 3)]),
            r"StackedLSTMCell: states must be a list of one for each cell \(1\), got \[., .\]",
        ),
        (
            lambda: text.BasicLSTMCell(4, 3)(x(2, 4), x(2, 3)),
            r"BasicLSTMCell: states must be \[hidden, cell\] \(2\), got \.",
        ),
        (
            lambda: text.BidirectionalLSTM(4, 3)(x(2, 5, 4), x(2, 3)),
            "BidirectionalRNN: initial_states must be a pair, forwards and backwards, got .",
        ),
        (
            lambda: text.TransformerDecoder(2, 2, 4, 4, 8, 16)(x(2, 1, 8), x(2, 5, 8), caches=[{}]),
            "TransformerDecoder: caches must be 2, one a layer, got 1",
        ),
        (
            lambda: text.CRFDecoding(3)(x(2, 4, 3)),
            r"CRFDecoding: padded sequences \[2, 4, 3\] need their length, int64 \[batch\], got None",
        ),
        (
            lambda: text.DynamicDecode(text.BeamSearchDecoder(text.BasicGRUCell(4, 4), 0, 1, 2), 3)(),
            "BeamSearchDecoder: the first states of the cell must be given, got None",
        ),
    ],
)
def test_calls_with_the_wrong_things(call, message):
    with in_mode("imperative"), pytest.raises(RuntimeError, match=message):
        call()
