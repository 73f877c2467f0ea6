"""Samples: what is kept of the values of variables, batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


class Samples:
    """Of each variable the minimum and maximum, and for "KL" all absolute values, in memory or in files.

    Args:
        algo: what they are for: "KL", "abs_max" or "min_max".
        names: the variables, in the order in which `add` gets their values.
        folder: where files go; None keeps everything in memory.
    """

    def __init__(self, algo: str, names: list[str], folder: str | None = None):
        self._algo, self._names = algo, names
        self._least: dict[str, float] = {}
        self._most: dict[str, float] = {}
        self._all: dict[str, list[Any]] = {name: [] for name in names}
        self._folder = None if folder is None else Path(folder)

    def add(self, values: list[np.ndarray]) -> None:
        for name, array in zip(self._names, values, strict=True):
            if self._algo == "KL":
                self._all[name].append(self._keep(name, np.abs(array).ravel()))
                continue
            if self._algo == "abs_max":
                array = np.abs(array)
            self._least[name] = min(float(array.min()), self._least.get(name, np.inf))
            self._most[name] = max(float(array.max()), self._most.get(name, -np.inf))

    def _keep(self, name: str, array: np.ndarray) -> Any:
        if self._folder is None:
            return array
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{name.replace('/', '_')}_{len(self._all[name])}.npy"
        np.save(path, array)
        return path

    def least(self) -> dict[str, Any]:
        return dict(self._least)

    def most(self) -> dict[str, Any]:
        return dict(self._most)

    def reduced(self, function: Callable[[np.ndarray], float]) -> dict[str, Any]:
        """The function of all absolute values of each variable; files are removed."""
        return {
            name: function(np.concatenate([self._take(kept) for kept in kepts])) for name, kepts in self._all.items()
        }

    def _take(self, kept: Any) -> np.ndarray:
        if self._folder is None:
            return kept
        array = np.load(kept)
        kept.unlink()
        return array
