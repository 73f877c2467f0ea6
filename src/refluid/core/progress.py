"""How far long work is: a bar where a line can be redrawn (terminals, notebooks), plain lines elsewhere.

Everything goes to standard error, so that what a program prints stays as it is. Work that ends within `delay` seconds
shows nothing. `fit` writes in Fluid's own format (hapi/progressbar.py) and only asks `can_redraw`.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

LINE_SECONDS = 10.0  # between two plain lines
_STAGES = "{desc}|{bar}| {n_fmt}/{total_fmt} [{elapsed}]"  # stages take different times: no guess about the rest
_TICK_SECONDS = 1.0  # between two drawings of the time while nothing else moves


def can_redraw(file: IO[str]) -> bool:
    """Whether a line that begins with a carriage return replaces the one before it."""
    return file.isatty() or _is_notebook(file)


def _is_notebook(file: object) -> bool:
    """Jupyter's streams say that they are no terminals, but redraw lines."""
    streams = sys.modules.get("ipykernel.iostream")
    return streams is not None and isinstance(file, streams.OutStream)


class Progress:
    """Shows how much of some work is done, in a `with` statement.

    Args:
        title: what is done.
        total: how much there is to do; None if unknown.
        done: how much was there before.
        unit: of `total`; "B" is told in kB, MB and so on.
        delay: seconds before anything is shown.
    """

    def __init__(self, title: str, total: int | None = None, done: int = 0, unit: str = "", delay: float = 0.0):
        self._title, self._total, self._done, self._unit, self._delay = title, total, done, unit, delay
        self._file = sys.stderr
        self._stage = ""
        self._began = self._told = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Progress:
        if self._file is not None and can_redraw(self._file):
            self._bar = self._draw()
        return self

    def __exit__(self, *raised: object) -> None:
        if self._stage and raised[0] is None:
            self.add()
        if self._bar is not None:
            if self._stage and raised[0] is None:
                self._bar.total = self._done  # fewer stages were needed
            self._bar.update(0)  # work that only now has taken longer than the delay is shown, too
            self._bar.close()
        elif raised[0] is None and time.monotonic() - self._began >= self._delay:
            self._line("done")

    def add(self, count: int = 1) -> None:
        """`count` more are done."""
        self._done += count
        if self._bar is not None:
            self._bar.update(count)
        elif time.monotonic() - self._told >= LINE_SECONDS:
            self._line()

    def stage(self, text: str) -> None:
        """What is being done from now on; what was done before, if anything, counts as one of the total."""
        if self._stage:
            self.add()
        self._stage = text
        if self._bar is not None:
            self._bar.set_description(f"{self._title}: {text}", refresh=self._visible())
        elif time.monotonic() - self._told >= LINE_SECONDS:
            self._line()

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Show that time passes while one piece of work takes long."""
        ended = threading.Event()

        def tick() -> None:
            while not ended.wait(_TICK_SECONDS):
                if self._bar is not None:
                    self._bar.update(0)
                elif time.monotonic() - self._told >= LINE_SECONDS:
                    self._line()

        thread = threading.Thread(target=tick, name="refluid-progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """For whoever prints meanwhile: the bar steps aside and comes back."""
        if self._bar is None or not self._visible():
            yield
            return
        self._bar.clear()
        try:
            yield
            sys.stdout.flush()
        finally:
            self._bar.refresh()

    def _draw(self) -> Any:
        unit = self._unit if self._unit in ("", "B") else f" {self._unit}"
        return _bar_class(self._file)(
            total=self._total, initial=self._done, unit=unit, unit_scale=unit == "B", desc=self._title,
            delay=self._delay, file=self._file, miniters=0, **_size(self._file),
            bar_format=_STAGES if unit == " stages" else None,
        )  # fmt: skip

    def _visible(self) -> bool:
        return self._bar.last_print_t >= self._bar.start_t + self._delay

    def _line(self, word: str = "") -> None:
        if self._file is None:
            return
        self._told = time.monotonic()
        amount = _amount(self._done, self._unit)
        if self._total is not None and not word:
            done = amount if self._unit == "B" else self._done
            amount = f"{done} of {_amount(self._total, self._unit)}"
        parts = [self._title, word or self._stage, amount]
        text = ": ".join(part for part in parts[:2] if part)
        self._file.write(f"{text}, {amount}, {self._told - self._began:.1f} s\n")
        self._file.flush()


def _amount(count: int, unit: str) -> str:
    if unit == "B":
        from tqdm import tqdm

        return tqdm.format_sizeof(count, "B")
    return f"{count} {unit}".strip()


def _size(file: IO[str]) -> dict[str, Any]:
    """The bar asks at every drawing, but not a terminal that says it has no room, as in containers: there are 80."""
    try:
        if not os.get_terminal_size(file.fileno()).columns:
            return {"ncols": 80, "nrows": 24}
    except (OSError, ValueError):
        pass
    return {"dynamic_ncols": True}


def _bar_class(file: object) -> Any:
    """tqdm's bar: of widgets in notebooks that have ipywidgets, else of characters; without a thread of its own."""
    from tqdm import tqdm

    chosen: Any = tqdm
    if _is_notebook(file):
        try:
            import ipywidgets as ipywidgets
            from tqdm.notebook import tqdm as widget

            chosen = widget
        except ImportError:
            pass
    return type("Bar", (chosen,), {"monitor_interval": 0})
