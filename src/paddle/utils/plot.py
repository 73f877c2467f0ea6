"""paddle.utils.plot: curves of a training."""

from refluid.metrics.plot import PlotData as PlotData, Ploter as Ploter
