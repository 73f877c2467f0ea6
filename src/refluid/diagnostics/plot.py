"""Ploter: curves of a training as it goes on, in a notebook or as a picture."""

from __future__ import annotations

import os

from refluid.core.errors import ArgumentError, NotFoundError


class PlotData:
    """The points of one curve."""

    def __init__(self) -> None:
        self.step: list[float] = []
        self.value: list[float] = []

    def append(self, step: float, value: float) -> None:
        self.step.append(step)
        self.value.append(value)

    def reset(self) -> None:
        self.step, self.value = [], []


class Ploter:
    """Curves with titles, drawn again whenever asked. Needs matplotlib, which the extra `viz` brings.

    Nothing is drawn if the environment has DISABLE_PLOT=True: a tutorial then runs as a script.
    """

    def __init__(self, *args: str):
        self._curves = {title: PlotData() for title in args}

    def append(self, title: str, step: float, value: float) -> None:
        """One more point of the curve with this title."""
        if title not in self._curves:
            raise ArgumentError(f"Ploter.append: title must be one of {list(self._curves)}, got {title!r}")
        self._curves[title].append(step, value)

    def plot(self, path: str | None = None) -> None:
        """Draw all curves into the file `path`, or where the notebook is."""
        if os.environ.get("DISABLE_PLOT") == "True":
            return
        try:
            from matplotlib.figure import Figure  # optional, and slow to import
        except ModuleNotFoundError as error:
            raise NotFoundError(
                f"Ploter.plot: the package 'matplotlib' is not installed ({error}); pip install 'refluid[viz]'"
            ) from None

        figure = Figure()
        axes = figure.add_subplot()
        drawn = {title: curve for title, curve in self._curves.items() if curve.step}
        for title, curve in drawn.items():
            axes.plot(curve.step, curve.value, label=title)
        if drawn:
            axes.legend(loc="upper left")
        if path is not None:
            figure.savefig(path)
            return
        try:
            from IPython import display
        except ImportError:
            raise ArgumentError(
                "Ploter.plot: IPython is not installed, so that a path to draw into is needed"
            ) from None
        display.clear_output(wait=True)
        display.display(figure)

    def reset(self) -> None:
        """Forget all points."""
        for curve in self._curves.values():
            curve.reset()
