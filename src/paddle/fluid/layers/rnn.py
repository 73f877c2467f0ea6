"""paddle.fluid.layers.rnn: recurrent networks and decoding."""

from refluid.layers.decoding import beam_search as beam_search, beam_search_decode as beam_search_decode
from refluid.layers.recurrent import (
    dynamic_gru as dynamic_gru,
    dynamic_lstm as dynamic_lstm,
    dynamic_lstmp as dynamic_lstmp,
    gru_unit as gru_unit,
    lstm as lstm,
    lstm_unit as lstm_unit,
)
from refluid.layers.rnn import (
    BasicDecoder as BasicDecoder,
    BeamSearchDecoder as BeamSearchDecoder,
    DecodeHelper as DecodeHelper,
    Decoder as Decoder,
    GreedyEmbeddingHelper as GreedyEmbeddingHelper,
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    RNNCell as RNNCell,
    SampleEmbeddingHelper as SampleEmbeddingHelper,
    TrainingHelper as TrainingHelper,
    dynamic_decode as dynamic_decode,
    rnn as rnn,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
