"""paddle.utils.plot: curves of a training."""

from refluid.diagnostics.plot import PlotData as PlotData, Ploter as Ploter

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
