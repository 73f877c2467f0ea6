"""Executor.train_from_dataset and infer_from_dataset: a program run over every batch of a data set."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.core.progress import Progress
from refluid.data.ctr.base import DatasetBase
from refluid.data.ctr.pipeline import run_sections
from refluid.data.readers.threads import buffered
from refluid.executor.executor import Executor
from refluid.ir import program as programs
from refluid.ir.variable import Variable

if TYPE_CHECKING:
    from refluid.ir.program import Program
    from refluid.tensor.scope import Scope

_AHEAD = 8  # batches that wait


class FetchHandler:
    """Monitors variables while a training runs: `handler` gets {key: value} every `period_secs` seconds."""

    def __init__(self, var_dict: dict[str, Variable] | None = None, period_secs: float = 60):
        if not isinstance(var_dict, dict):
            raise ArgumentError(f"FetchHandler: var_dict must be a dict of variables, got {type(var_dict).__name__}")
        self.var_dict = var_dict
        self.period_secs = period_secs

    def handler(self, res_dict: dict[str, Any]) -> None:
        """Override this. By default the values are printed."""
        for key, value in res_dict.items():
            print(f"{key}[0]: {np.ravel(value)[0]}")


def run_from_dataset(
    self: Executor,
    program: Program | None = None,
    dataset: DatasetBase | None = None,
    scope: Scope | None = None,
    thread: int = 0,
    debug: bool = False,
    fetch_list: list[Any] | None = None,
    fetch_info: list[str] | None = None,
    print_period: int = 100,
    fetch_handler: FetchHandler | None = None,
) -> None:
    """Run a program over every batch of a data set.

    Args:
        program: the default main program if None. It trains if it has updates in it.
        dataset: what DatasetFactory makes.
        scope: where persistable variables live; the global scope if None.
        thread: how many files to read and parse at the same time; as the data set says if 0. Fluid's threads train too,
            and overwrite one another's updates, with other results in every run. Here batches are trained in the order
            of the files, whatever the number of threads, and torch threads the kernels.
        debug: print how long reading and running took.
        fetch_list, fetch_info: variables to print every `print_period` batches, and what to call them.
        fetch_handler: gets values every few seconds.
    """
    if not isinstance(dataset, DatasetBase):
        raise ArgumentError(f"train_from_dataset: dataset must be made by DatasetFactory, got {type(dataset).__name__}")
    shown = list(fetch_list or [])
    names = [one if isinstance(one, str) else one.name for one in shown]
    titles = list(fetch_info or names)
    if len(titles) != len(shown):
        raise ArgumentError(f"train_from_dataset: {len(shown)} variables have {len(titles)} entries in fetch_info")
    sections = getattr(programs.default_main_program() if program is None else program, "_pipeline_opt", None)
    if sections is not None:
        feeds = dataset.feeds(thread)
        with _progress() as progress:
            for batch, fetched in enumerate(run_sections(sections, feeds, names, scope), 1):
                progress.add()
                if batch % print_period == 0:
                    with progress.aside():
                        _show(titles, names, [np.array(fetched[name]) for name in names])
        return
    watched = dict(fetch_handler.var_dict) if fetch_handler is not None else {}
    looked = time.monotonic()
    reading = running = 0.0
    batches = buffered(lambda: dataset.feeds(thread), _AHEAD)()
    number = 0
    with _progress() as progress:
        while True:
            start = time.perf_counter()
            feed = next(batches, None)
            reading += time.perf_counter() - start
            if feed is None:
                break
            number += 1
            wanted = shown if shown and number % print_period == 0 else []
            look = fetch_handler is not None and time.monotonic() - looked >= fetch_handler.period_secs
            start = time.perf_counter()
            values = self.run(program, feed, [*wanted, *(watched.values() if look else ())], scope=scope)
            running += time.perf_counter() - start
            progress.add()
            if wanted:
                with progress.aside():
                    _show(titles, names, values)
            if look and fetch_handler is not None:
                looked = time.monotonic()
                with progress.aside():
                    fetch_handler.handler(dict(zip(watched, values[len(wanted) :], strict=True)))
    if debug:
        print(f"train_from_dataset: {number} batches, {reading:.3f} s waiting for data, {running:.3f} s running")


def _progress() -> Progress:
    """How many batches there are, only the end of the files tells. Programs call this for every small pass."""
    return Progress("train_from_dataset", unit="batches", delay=1.0)


def _show(titles: list[str], names: list[str], values: list[np.ndarray]) -> None:
    for title, name, value in zip(titles, names, values, strict=False):
        numbers = " ".join(f"{number:g}" for number in np.ravel(value))
        shape = ", ".join(map(str, value.shape))
        print(f"{title}\t{name}\n\tdim: {shape}\n\tdtype: {value.dtype}\n\tdata: [{numbers}]")
