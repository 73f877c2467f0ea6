"""Training of a program that PipelineOptimizer has split: a section is some threads, which pass batches on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from refluid.data.readers.channel import CLOSED, Channel
from refluid.data.readers.threads import END, Consumer, Raised
from refluid.executor.executor import Executor
from refluid.tensor.scope import Scope

if TYPE_CHECKING:
    from refluid.core.places import Place

Values = dict[str, Any]


class _Section:
    """One section: its program, what it takes from a batch's values and what it adds to them."""

    def __init__(self, described: Values, place: Place, fetches: list[str], scope: Scope | None):
        self.program = described["program"]
        block = self.program.global_block()
        self.reads: set[str] = set()
        written: set[str] = set()
        for op in block.ops:
            self.reads.update(name for name in op.input_arg_names if name not in written)
            written.update(op.output_arg_names)
        local = {name for name, var in block.vars.items() if not var.persistable}
        self.makes = sorted((described["output_set"] & local) | (written & set(fetches)))
        self.executor = Executor(place)
        self.scope = scope
        self._first = threading.Lock()  # the first batch makes the plan; the others wait for it
        self._planned = False

    def __call__(self, values: Values) -> Values:
        if not self._planned:
            with self._first:
                results = self._run(values)
                self._planned = True
            return results
        return self._run(values)

    def _run(self, values: Values) -> Values:
        feed = {name: values[name] for name in values if name in self.reads}
        found = self.executor.run(self.program, feed, list(self.makes), scope=self.scope, return_numpy=False)
        return {**values, **dict(zip(self.makes, found, strict=True))}


def run_sections(options: Values, feeds: Iterable[Values], fetches: list[str], scope: Scope | None) -> Iterator[Values]:
    """The values of every batch when it has gone through all sections; `fetches` are among them.

    Args:
        options: `program._pipeline_opt`.
    """
    described = options["section_program_list"]
    places, threads = options["place_list"], options["concurrency_list"]
    sections = [_Section(one, place, fetches, scope) for one, place in zip(described, places, strict=True)]
    channels = [Channel(options["queue_size"]) for _ in range(len(sections) + 1)]
    ready = channels[-1]
    jobs: list[tuple] = [(_read, (feeds, channels[0], threads[0], ready))]
    for i, section in enumerate(sections):
        following = threads[i + 1] if i + 1 < len(sections) else 1
        ending = _Ending(threads[i], following, channels[i + 1])
        jobs += [(_work, (section, channels[i], channels[i + 1], ending, ready))] * threads[i]
    return Consumer(ready, channels, jobs, ends=1)


class _Ending:
    """The last thread of a section to end ends every thread of the next one."""

    def __init__(self, threads: int, following: int, channel: Channel):
        self._left, self._following, self._channel = threads, following, channel
        self._lock = threading.Lock()

    def __call__(self) -> None:
        with self._lock:
            self._left -= 1
            if self._left:
                return
        for _ in range(self._following):
            self._channel.put(END)


def _read(feeds: Iterable[Values], first: Channel, threads: int, ready: Channel) -> None:
    try:
        for feed in feeds:
            if not first.put(feed):
                return
        for _ in range(threads):
            first.put(END)
    except BaseException as error:
        ready.put(Raised(error))


def _work(
    section: Callable[[Values], Values], waiting: Channel, done: Channel, ending: _Ending, ready: Channel
) -> None:
    try:
        while (values := waiting.get()) is not END and values is not CLOSED:
            if not done.put(section(values)):
                return
        ending()
    except BaseException as error:
        ready.put(Raised(error))
