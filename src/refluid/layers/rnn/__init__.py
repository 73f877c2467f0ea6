"""rnn: recurrent cells, running them over sequences, and decoders, in both modes."""

from refluid.layers.rnn.beam_search import BeamSearchDecoder as BeamSearchDecoder
from refluid.layers.rnn.cells import GRUCell as GRUCell, LSTMCell as LSTMCell, RNNCell as RNNCell
from refluid.layers.rnn.decoder import BasicDecoder as BasicDecoder, Decoder as Decoder
from refluid.layers.rnn.decoding import dynamic_decode as dynamic_decode
from refluid.layers.rnn.helpers import (
    DecodeHelper as DecodeHelper,
    GreedyEmbeddingHelper as GreedyEmbeddingHelper,
    SampleEmbeddingHelper as SampleEmbeddingHelper,
    TrainingHelper as TrainingHelper,
)
from refluid.layers.rnn.stacked import basic_gru as basic_gru, basic_lstm as basic_lstm
from refluid.layers.rnn.unroll import rnn as rnn
