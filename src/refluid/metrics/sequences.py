"""Metrics of sequences: chunks, edit distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.metrics.base import MetricBase, need_array, need_number


class ChunkEvaluator(MetricBase):
    """Precision, recall and F1 of chunks, from the counts that fluid.layers.chunk_eval gives for each batch."""

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.num_infer_chunks: float | np.ndarray = 0
        self.num_label_chunks: float | np.ndarray = 0
        self.num_correct_chunks: float | np.ndarray = 0

    def update(  # type: ignore[override]
        self,
        num_infer_chunks: float | np.ndarray,
        num_label_chunks: float | np.ndarray,
        num_correct_chunks: float | np.ndarray,
    ) -> None:
        """The numbers of predicted chunks, of labelled chunks, and of correct ones."""
        counts = {
            "num_infer_chunks": num_infer_chunks,
            "num_label_chunks": num_label_chunks,
            "num_correct_chunks": num_correct_chunks,
        }
        for name, count in counts.items():
            need_number(f"ChunkEvaluator.update: {name}", count)
        for name, count in counts.items():
            setattr(self, name, getattr(self, name) + count)

    def eval(self) -> tuple[Any, Any, Any]:
        """(precision, recall, F1)."""
        return scores(self.num_infer_chunks, self.num_label_chunks, self.num_correct_chunks)


class EditDistance(MetricBase):
    """The mean edit distance, and the fraction of sequences with an error."""

    def __init__(self, name: str | None):
        super().__init__(name)
        self.total_distance: float = 0.0
        self.seq_num: float | np.ndarray = 0
        self.instance_error: int = 0

    def update(self, distances: np.ndarray, seq_num: float | np.ndarray) -> None:
        """distances: of each sequence of a batch, [N, 1]; seq_num: N; both as fluid.layers.edit_distance gives them."""
        distances = need_array("EditDistance.update: distances", distances)
        need_number("EditDistance.update: seq_num", seq_num)
        self.total_distance = self.total_distance + distances.sum()
        self.seq_num = self.seq_num + seq_num
        self.instance_error = self.instance_error + (seq_num - (distances == 0).sum())

    def eval(self) -> tuple[Any, Any]:
        """(mean distance, fraction of sequences with an error)."""
        if self.seq_num == 0:
            raise ArgumentError("EditDistance.eval: there is no data; call update with the distances of a batch first")
        return self.total_distance / self.seq_num, self.instance_error / self.seq_num


def scores(found: float | np.ndarray, true: float | np.ndarray, right: float | np.ndarray) -> tuple[Any, Any, Any]:
    """Precision, recall and F1 of counts; zero where a count is."""
    precision = right / found if found else 0
    recall = right / true if true else 0
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0
