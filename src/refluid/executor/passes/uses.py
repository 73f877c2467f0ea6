"""Who makes and who reads the variables of a list of steps."""

from __future__ import annotations

from collections import Counter

from refluid.executor.step import Step


class Uses:
    """`maker` knows the steps of the list alone, not those inside the blocks of others."""

    def __init__(self, steps: list[Step], fetches: set[str]):
        self.readers = Counter(name for step in steps for name in step.reads())
        self.readers.update(fetches)
        self.writers = Counter(name for step in steps for name in step.writes())
        self.maker = {name: step for step in steps if not step.body for name in step.writes()}

    def only_for(self, name: str | None) -> Step | None:
        """The step that makes a variable which is made once and read once."""
        if name is None or self.readers[name] != 1 or self.writers[name] != 1:
            return None
        return self.maker.get(name)


def made_once(steps: list[Step]) -> set[str]:
    """Variables that one step makes, before anything reads them: wherever they are read, it is the same value."""
    writes = Counter(name for step in steps for name in step.writes())
    early: set[str] = set()  # read before anything has written them
    written: set[str] = set()
    for step in steps:
        early.update(name for name in step.reads() if name not in written)
        written.update(step.writes())
    return {name for name, count in writes.items() if count == 1 and name not in early}
