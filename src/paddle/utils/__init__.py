"""paddle.utils: curves of a training."""

from paddle.utils import image_util as image_util, plot as plot, profiler as profiler
from paddle.utils.plot import Ploter as Ploter

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
