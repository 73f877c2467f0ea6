"""StructurePruner: which filters are pruned, and tensors without them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from refluid.core.errors import ArgumentError, NotDefinedError


class Pruner:
    """Says what of a parameter is left out; make a subclass."""

    def prune(self, param: object) -> object:
        raise NotDefinedError(f"{type(self).__name__}.prune: a pruner has to say what is left out")


class StructurePruner(Pruner):
    """Leaves out whole slices of parameters, those with the smallest norms.

    Args:
        pruning_axis: {name of a parameter, or "*": the axis along which it is pruned}.
        criterions: {name of a parameter, or "*": "l1_norm"}.
    """

    def __init__(self, pruning_axis: dict[str, int], criterions: dict[str, str]):
        self.pruning_axis, self.criterions = pruning_axis, criterions

    def cal_pruned_idx(self, name: str, param: np.ndarray, ratio: float, axis: int | None = None) -> np.ndarray:
        """The indices of the slices of a parameter, a fraction `ratio` of them, that are removed."""
        criterion = self.criterions.get(name, self.criterions.get("*"))
        if criterion != "l1_norm":
            raise ArgumentError(f"StructurePruner: the criterion of {name} must be 'l1_norm', got {criterion!r}")
        if axis is None:
            axis = self.pruning_axis.get(name, self.pruning_axis.get("*"))
            if axis is None:
                raise ArgumentError(f"StructurePruner: pruning_axis names neither {name} nor '*', and no axis is given")
        others = tuple(i for i in range(param.ndim) if i != axis)
        norms = np.abs(param).sum(axis=others)
        return norms.argsort()[: round(param.shape[axis] * ratio)]

    def prune_tensor(
        self, tensor: np.ndarray, pruned_idx: Sequence[int] | np.ndarray, pruned_axis: int, lazy: bool = False
    ) -> np.ndarray:
        """The tensor without these slices; lazy keeps them as zeros."""
        if not lazy:
            return np.delete(tensor, pruned_idx, axis=pruned_axis)
        kept = tensor.copy()
        kept[(slice(None),) * pruned_axis + (np.asarray(pruned_idx, int),)] = 0
        return kept
