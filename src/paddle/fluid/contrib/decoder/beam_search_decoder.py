"""paddle.fluid.contrib.decoder.beam_search_decoder: recurrent decoders."""

from refluid.contrib.decoder.beam_search import BeamSearchDecoder as BeamSearchDecoder
from refluid.contrib.decoder.state import InitState as InitState, StateCell as StateCell
from refluid.contrib.decoder.training import TrainingDecoder as TrainingDecoder

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
