"""cached_reader: a sample of a reader's batches, the same every time."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from refluid.saving.pickle_reader import read_pickle


def cached_reader(reader: Callable, sampled_rate: float, cache_path: str, cached_id: int) -> Callable:
    """A reader of a part of the batches; the first time they are drawn and kept in a folder, then read from there.

    Args:
        sampled_rate: which fraction of the batches; the first one is always among them.
        cached_id: the seed, and the name of the folder inside cache_path.
    """
    np.random.seed(cached_id)
    folder = Path(cache_path) / str(cached_id)

    def sampled() -> Iterator[Any]:
        if folder.is_dir():
            for line in (folder / "list").read_text().splitlines():
                with open(folder / line, "rb") as file:
                    yield read_pickle(file, str(folder / line))
            return
        folder.mkdir(parents=True)
        names: list[str] = []
        for batch in reader():
            if not names or np.random.uniform() < sampled_rate:
                names.append(f"batch{len(names)}")
                (folder / names[-1]).write_bytes(pickle.dumps(batch, protocol=2))
                (folder / "list").write_text("\n".join(names))
                yield batch

    return sampled
