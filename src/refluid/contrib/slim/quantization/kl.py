"""The clipping threshold that loses least of a distribution when it is quantized.

After Migacz, "8-bit inference with TensorRT" (2017): of all thresholds, that whose quantized distribution has the
smallest Kullback-Leibler divergence from the real one.
"""

from __future__ import annotations

import numpy as np

_BINS = 2048
_FIRST = int((_BINS - 1) * 0.7)  # thresholds below it are not tried


def kl_threshold(values: np.ndarray, levels: int = 255) -> float:
    """The threshold for absolute values, to be quantized to so many levels."""
    counts, edges = np.histogram(values, bins=_BINS, range=(values.min(), values.max()))
    tried = [kept for kept in range(_FIRST, _BINS) if counts[kept - 1]]
    if tried:
        best = min(tried, key=lambda kept: _divergence(counts, kept, levels, values.size))
    else:
        best = max(np.flatnonzero(counts[: _FIRST + 1]), default=0)
    return float((best + 0.5) * (edges[1] - edges[0]))


def _divergence(counts: np.ndarray, kept: int, levels: int, total: int) -> float:
    """Between the first `kept` bins, the last of which has all that was clipped, and the same in so many levels."""
    real = counts[:kept].astype(np.float64)
    real[-1] += counts[kept:].sum()
    starts = np.arange(levels) * (kept // levels)
    widths = np.diff([*starts, kept])
    there = real != 0
    filled = np.add.reduceat(there, starts, dtype=np.int64)
    means = np.add.reduceat(counts[:kept], starts) / np.maximum(filled, 1)
    quantized = np.repeat(means, widths)[there]
    real = real[there]
    return float(np.sum(real * (np.log(quantized.sum() * real) - np.log(total * quantized))) / total)
