"""paddle.fluid.contrib.decoder: recurrent decoders."""

from paddle.fluid.contrib.decoder import beam_search_decoder as beam_search_decoder
from refluid.contrib.decoder.beam_search import BeamSearchDecoder as BeamSearchDecoder
from refluid.contrib.decoder.state import InitState as InitState, StateCell as StateCell
from refluid.contrib.decoder.training import TrainingDecoder as TrainingDecoder

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
