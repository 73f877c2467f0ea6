"""paddle.incubate.hapi.text.text: layers for sequences."""

from refluid.hapi.text.attention import (
    FFN as FFN,
    MultiHeadAttention as MultiHeadAttention,
    PrePostProcessLayer as PrePostProcessLayer,
)
from refluid.hapi.text.cells import (
    BasicGRUCell as BasicGRUCell,
    BasicLSTMCell as BasicLSTMCell,
    RNNCell as RNNCell,
    StackedGRUCell as StackedGRUCell,
    StackedLSTMCell as StackedLSTMCell,
    StackedRNNCell as StackedRNNCell,
)
from refluid.hapi.text.convolution import (
    CNNEncoder as CNNEncoder,
    Conv1dPoolLayer as Conv1dPoolLayer,
)
from refluid.hapi.text.crf import (
    CRFDecoding as CRFDecoding,
    LinearChainCRF as LinearChainCRF,
)
from refluid.hapi.text.decoding import (
    DynamicDecode as DynamicDecode,
    TransformerBeamSearchDecoder as TransformerBeamSearchDecoder,
    TransformerCell as TransformerCell,
)
from refluid.hapi.text.recurrent import (
    GRU as GRU,
    LSTM as LSTM,
    RNN as RNN,
    BidirectionalGRU as BidirectionalGRU,
    BidirectionalLSTM as BidirectionalLSTM,
    BidirectionalRNN as BidirectionalRNN,
)
from refluid.hapi.text.tagging import SequenceTagging as SequenceTagging
from refluid.hapi.text.transformer import (
    TransformerDecoder as TransformerDecoder,
    TransformerDecoderLayer as TransformerDecoderLayer,
    TransformerEncoder as TransformerEncoder,
    TransformerEncoderLayer as TransformerEncoderLayer,
)
from refluid.layers.rnn.beam_search import BeamSearchDecoder as BeamSearchDecoder

__all__ = [
    "BasicGRUCell", "BasicLSTMCell", "BeamSearchDecoder", "BidirectionalGRU", "BidirectionalLSTM", "BidirectionalRNN",
    "CNNEncoder", "CRFDecoding", "Conv1dPoolLayer", "DynamicDecode", "FFN", "GRU", "LSTM", "LinearChainCRF",
    "MultiHeadAttention", "PrePostProcessLayer", "RNN", "RNNCell", "SequenceTagging", "StackedGRUCell",
    "StackedLSTMCell", "StackedRNNCell", "TransformerBeamSearchDecoder", "TransformerCell", "TransformerDecoder",
    "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
]  # fmt: skip
