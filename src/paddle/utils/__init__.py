"""paddle.utils: curves of a training."""

from paddle.utils import plot as plot
from paddle.utils.plot import Ploter as Ploter
