"""ProgressBar: how far an epoch is, with its numbers, on a terminal or in a file."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import Any, TextIO

import numpy as np

from refluid.core.progress import can_redraw

_WIDEST = 30


class ProgressBar:
    """Shows the steps of an epoch.

    Args:
        num: how many steps there are; None if unknown.
        width: of the bar, in characters.
        verbose: 0 shows nothing; 1 one line that changes; 2 a line for every update. Where the file is neither a
            terminal nor the output of a notebook, a line cannot change, so 1 shows the last update alone.
        start: begin to measure time at once.
        file: where to write; the present standard output by default.
    """

    def __init__(
        self,
        num: int | None = None,
        width: int = _WIDEST,
        verbose: int = 1,
        start: bool = True,
        file: TextIO | None = None,
    ):
        self._num = num if num is None or num > 0 else None
        self._width = width
        self._verbose = verbose
        self._file: TextIO = sys.stdout if file is None else file
        self._changing = verbose == 1 and can_redraw(self._file)
        self._shown = 0  # characters of the line that may be overwritten
        self._begun = 0.0
        if start:
            self.start()

    def start(self) -> None:
        """Begin to measure time."""
        self._begun = time.perf_counter()

    def update(self, current_num: int, values: Iterable[tuple[str, Any]] | None = None, last: bool = False) -> None:
        """Show that `current_num` steps are done.

        Args:
            values: (name, number, array or list of numbers) pairs to show.
            last: the epoch ends here, though `num` did not say so.
        """
        last = last or current_num == self._num
        if not self._verbose or (self._verbose == 1 and not self._changing and not last):
            return
        line = " - ".join([self._progress(current_num, last), *self._numbers(values or ()), self._pace(current_num)])
        if self._changing:
            self._file.write("\r" + line.ljust(self._shown) + ("\n" if last else ""))
            self._shown = 0 if last else len(line)
        else:
            self._file.write(line + "\n")
        self._file.flush()

    def close(self) -> None:
        """Leave the line, if one is being changed: an epoch that ends early must not be overwritten."""
        if self._shown:
            self._file.write("\n")
            self._file.flush()
            self._shown = 0

    def _progress(self, done: int, last: bool) -> str:
        if self._num is None:
            return f"step {done}"
        count = f"step {done:>{len(str(self._num))}}/{self._num}"
        if not self._changing:
            return count
        full = self._width if last else min(self._width * done // self._num, self._width)
        tip = ">" if full < self._width else ""
        return f"{count} [{('=' * full + tip).ljust(self._width, '.')}]"

    def _numbers(self, values: Iterable[tuple[str, Any]]) -> list[str]:
        return [f"{name}: {_text(value)}" for name, value in values]

    def _pace(self, done: int) -> str:
        seconds = (time.perf_counter() - self._begun) / max(done, 1)
        for unit, scale in (("s", 1.0), ("ms", 1e3)):
            if seconds * scale >= 1:
                return f"{seconds * scale:.0f}{unit}/step"
        return f"{seconds * 1e6:.0f}us/step"


def _text(value: object) -> str:
    if isinstance(value, list | tuple | np.ndarray):
        return " ".join(_text(one) for one in np.ravel(value).tolist())
    if isinstance(value, float | np.floating):
        return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 1e5 else f"{value:.4e}"
    return str(value)
